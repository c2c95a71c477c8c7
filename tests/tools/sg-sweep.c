// SPDX-License-Identifier: GPL-2.0
/*
 * sg-sweep: sends CDBs that make no sense and compares the answers with what REPORT
 * SUPPORTED OPERATION CODES says of them.
 *
 *	sg-sweep DEVICE COUNT [SEED [PAD]]
 *
 * PAD: the transport sends all CDBs as that many bytes, and no longer ones (16 for
 * ib_srp).
 *
 * First zero CDBs of all 256 opcodes in all lengths from 6 to 32, then COUNT random
 * ones: garbage, garbage within the usage map, and that with one bit too many. A CDB
 * that must be refused has to be, with a pointer to the right byte; an opcode that is
 * reported must never be unknown. START STOP UNIT and RESERVE are left out, as they
 * would change the answers to the rest. Data on the device is overwritten.
 *
 * Prints each wrong answer (the first 20) and a line with counts. Status 1 if there
 * was a wrong one.
 */
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_CDB		32
#define MAX_OPS		256
#define MAX_DATA	(64 << 10)

struct op {
	uint8_t opcode, len, usage[MAX_CDB];
	int action;		/* -1: none */
};

struct answer {
	int host, status, key, asc, ascq, field;	/* field -1: no pointer */
	int resid;
};

static struct op ops[MAX_OPS];
static unsigned int nr_ops, wrong, sent, good;
static uint8_t data[MAX_DATA];
static uint64_t state;
static int fd, pad;

static void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(2);
}

/* xorshift64*: the same CDBs for the same seed, everywhere. */
static uint32_t rnd(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ULL >> 32;
}

static uint32_t be(const uint8_t *p, int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

static void parse_sense(const uint8_t *s, int len, struct answer *a)
{
	const uint8_t *sks = NULL;
	int pos;

	if (len >= 14 && (s[0] & 0x7f) == 0x70) {
		a->key = s[2] & 15;
		a->asc = s[12];
		a->ascq = s[13];
		sks = len >= 18 ? s + 15 : NULL;
	} else if (len >= 8 && (s[0] & 0x7f) == 0x72) {
		a->key = s[1] & 15;
		a->asc = s[2];
		a->ascq = s[3];
		for (pos = 8; pos + 8 <= len; pos += 2 + s[pos + 1])
			if (s[pos] == 2)
				sks = s + pos + 4;
	}
	if (sks && sks[0] & 0x80)
		a->field = be(sks + 1, 2);
}

static struct answer send_cdb(const uint8_t *cdb, int len, int direction, unsigned int nr)
{
	struct answer a = { .field = -1 };
	uint8_t sense[96] = { 0 };
	struct sg_io_hdr h = {
		.interface_id = 'S', .dxfer_direction = nr ? direction : SG_DXFER_NONE,
		.cmd_len = len, .mx_sb_len = sizeof(sense), .dxfer_len = nr, .dxferp = data,
		.cmdp = (uint8_t *)cdb, .sbp = sense, .timeout = 60000,
	};

	if (ioctl(fd, SG_IO, &h))
		die("SG_IO: %s", strerror(errno));
	a.host = h.host_status;
	a.status = h.status;
	a.resid = h.resid;
	if (h.sb_len_wr)
		parse_sense(sense, h.sb_len_wr, &a);
	return a;
}

static void learn_usage(struct op *op)
{
	uint8_t cdb[12] = { 0xa3, 0x0c, 3, op->opcode, op->action >= 0 ? op->action >> 8 : 0,
			    op->action >= 0 ? op->action : 0, 0, 0, 1, 0 };
	struct answer a = send_cdb(cdb, sizeof(cdb), SG_DXFER_FROM_DEV, 256);

	if (a.host || a.status || (data[1] & 7) != 3 || be(data + 2, 2) != op->len ||
	    a.resid != 256 - 4 - op->len)
		die("no usage map of opcode %02x", op->opcode);
	memcpy(op->usage, data + 4, op->len);
}

static void learn_ops(void)
{
	static const uint8_t cdb[12] = { 0xa3, 0x0c, 0, 0, 0, 0, 0, 0, 16, 0 };
	struct answer a = send_cdb(cdb, sizeof(cdb), SG_DXFER_FROM_DEV, 4096);
	unsigned int n = be(data, 4), i;

	if (a.host || a.status || n % 8 || n / 8 > MAX_OPS || a.resid != (int)(4096 - 4 - n))
		die("REPORT SUPPORTED OPERATION CODES gives nonsense");
	for (i = 0; i < n / 8; i++) {
		const uint8_t *d = data + 4 + 8 * i;

		ops[i].opcode = d[0];
		ops[i].action = d[5] & 1 ? (int)be(d + 2, 2) : -1;
		ops[i].len = be(d + 6, 2);
		if (ops[i].len > MAX_CDB)
			die("opcode %02x has %u bytes", d[0], ops[i].len);
	}
	nr_ops = n / 8;
	for (i = 0; i < nr_ops; i++)
		learn_usage(&ops[i]);
}

/* The row of a CDB; @known: whether its opcode has any. */
static const struct op *find(const uint8_t *cdb, bool *known)
{
	int action = cdb[0] == 0x7f ? (int)be(cdb + 8, 2) : cdb[1] & 0x1f;
	unsigned int i;

	*known = false;
	for (i = 0; i < nr_ops; i++) {
		if (ops[i].opcode != cdb[0])
			continue;
		*known = true;
		if (ops[i].action < 0 || ops[i].action == action)
			return &ops[i];
	}
	return NULL;
}

/* The byte that has to be refused; -1: none. */
static int bad_byte(const struct op *op, const uint8_t *cdb, int len)
{
	int control = op->opcode == 0x7f ? 1 : op->len - 1, i;

	if (len < op->len)
		return len;
	if (op->opcode == 0x7f && cdb[7] != op->len - 8)
		return 7;
	for (i = 1; i < op->len; i++)
		if (i == control ? cdb[i] & 4 : cdb[i] & ~op->usage[i])
			return i;
	return -1;
}

static bool refused(const struct answer *a, int asc, int field)
{
	return a->status == 2 && a->key == 5 && a->asc == asc && !a->ascq &&
	       (field < 0 || a->field == field);
}

static bool is_right(const uint8_t *cdb, int len, const struct answer *a)
{
	bool known;
	const struct op *op = find(cdb, &known);
	int bad;

	if (a->host)
		return false;
	if (!known)
		return refused(a, 0x20, -1);
	if (!op)
		return refused(a, 0x24, cdb[0] == 0x7f ? 8 : 1);
	bad = bad_byte(op, cdb, len);
	if (bad >= 0)
		return refused(a, 0x24, bad);
	return (a->status == 0 || a->status == 2) && !refused(a, 0x20, -1);
}

static void try_cdb(const uint8_t *cdb, int len, int direction, unsigned int nr)
{
	struct answer a;

	if (pad && len > pad)
		return;
	a = send_cdb(cdb, len, direction, nr);
	int i;

	if (a.status == 2 && a.key == 6)	/* unit attention */
		a = send_cdb(cdb, len, direction, nr);
	sent++;
	good += !a.host && !a.status;
	if (is_right(cdb, pad ?: len, &a) || wrong++ >= 20)
		return;
	printf("wrong:");
	for (i = 0; i < len; i++)
		printf(" %02x", cdb[i]);
	printf(" data %s %u: host %x status %x sense %x/%02x/%02x field %d\n",
	       !nr ? "-" : direction == SG_DXFER_TO_DEV ? "out" : "in", nr, a.host, a.status,
	       a.key, a.asc, a.ascq, a.field);
}

static bool left_out(uint8_t opcode)
{
	return opcode == 0x1b || opcode == 0x16 || opcode == 0x56;
}

static void sweep(void)
{
	uint8_t cdb[MAX_CDB] = { 0 };
	int opcode, len;

	for (opcode = 0; opcode < 256; opcode++) {
		cdb[0] = opcode;
		for (len = 6; len <= MAX_CDB && !left_out(opcode); len++)
			try_cdb(cdb, len, SG_DXFER_NONE, 0);
	}
}

static void one_random(void)
{
	static const int lens[] = { 6, 10, 12, 16, 32 };
	const struct op *op = &ops[rnd() % nr_ops];
	int len = lens[rnd() % 5], style = rnd() % 4, i;
	unsigned int nr = rnd() % 3 ? rnd() % MAX_DATA : rnd() % 64;
	uint8_t cdb[MAX_CDB];

	for (i = 0; i < MAX_CDB; i++)
		cdb[i] = rnd() % 4 ? 0 : rnd();
	cdb[0] = rnd();
	if (style) {
		for (i = 0; i < op->len; i++)
			cdb[i] &= op->usage[i];
		cdb[0] = op->opcode;
		if (op->opcode == 0x7f) {
			cdb[7] = op->len - 8;
			cdb[8] = op->action >> 8;
			cdb[9] = op->action;
		} else if (op->action >= 0) {
			cdb[1] = op->action;
		}
		len = rnd() % 8 ? op->len : len;
		if (style == 3)
			cdb[1 + rnd() % (op->len - 1)] |= 1 << rnd() % 8;
	}
	memset(cdb + len, 0, sizeof(cdb) - len);	/* as the target sees it */
	if (!left_out(cdb[0]))
		try_cdb(cdb, len, rnd() % 2 ? SG_DXFER_TO_DEV : SG_DXFER_FROM_DEV,
			rnd() % 3 ? nr : 0);
}

int main(int argc, char **argv)
{
	static const uint8_t tur[6];
	unsigned long count, i;
	struct answer a;

	if (argc < 3)
		die("usage: sg-sweep DEVICE COUNT [SEED [PAD]]");
	count = strtoul(argv[2], NULL, 0);
	state = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	state |= 1ULL << 40;
	pad = argc > 4 ? atoi(argv[4]) : 0;
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		die("%s: %s", argv[1], strerror(errno));
	learn_ops();
	sweep();
	for (i = 0; i < count; i++)
		one_random();
	for (i = 0; i < 10; i++) {
		a = send_cdb(tur, sizeof(tur), SG_DXFER_NONE, 0);
		if (!a.status)
			break;
	}
	if (a.host || a.status) {
		printf("wrong: not ready at the end\n");
		wrong++;
	}
	printf("%u operation codes, %u CDBs, %u of them GOOD, %u wrong answers\n", nr_ops, sent,
	       good, wrong);
	return wrong ? 1 : 0;
}
