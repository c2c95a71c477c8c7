// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile iSCSI initiator over TCP. It knows how to log in and what good PDUs look
 * like, and sends bad ones: in the login phase and after it. Whatever it sends, the target
 * has to answer a good login in time; that is looked at again and again. The same seed
 * makes the same PDUs.
 *
 *	iscsi-hostile ADDRESS PORT TARGET COUNT [SEED]
 *
 * Prints what it sent; status 0 if the target was there for good logins to the end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BHS		48
#define ROOM		(1 << 17)
#define PER_CONN	40		/* bad PDUs on one connection, at most */
#define CHECK_EVERY	500		/* bad PDUs between two good logins */
#define LONG_LOGINS	24
#define FLOOD_BYTES	(64UL << 20)

static struct sockaddr_in address;
static const char *target;
static uint64_t seed = 1;
static uint8_t pdu[ROOM], answer[ROOM];
static uint32_t cmd_sn, isid;

static struct {
	unsigned long pdus, conns, closed, logins, slowest_ms;
	unsigned long answers[64];
} stats;

static void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "iscsi-hostile: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

static unsigned long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000UL + t.tv_nsec / 1000000;
}

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (uint32_t)(seed >> 33) % n : 0;
}

static void put32(uint8_t *p, uint32_t v)
{
	v = htonl(v);
	memcpy(p, &v, 4);
}

static uint32_t get24(const uint8_t *p)
{
	return p[0] << 16 | p[1] << 8 | p[2];
}

static void put24(uint8_t *p, uint32_t v)
{
	p[0] = v >> 16;
	p[1] = v >> 8;
	p[2] = v;
}

/* ---- the socket --------------------------------------------------------- */

static int dial(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct timeval limit = { .tv_sec = 20 };

	if (fd < 0)
		die("socket: %s", strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (void *)&address, sizeof(address)))
		die("connect: %s", strerror(errno));
	stats.conns++;
	return fd;
}

static int send_all(int fd, const uint8_t *p, uint32_t len)
{
	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

static int recv_all(int fd, uint8_t *p, uint32_t len)
{
	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

/* One whole PDU into answer; -1: the connection has ended, or 20 s have passed. */
static int get_pdu(int fd)
{
	uint32_t len;

	if (recv_all(fd, answer, BHS))
		return -1;
	len = answer[4] * 4 + ((get24(answer + 5) + 3) & ~3U);
	if (BHS + len > ROOM || recv_all(fd, answer + BHS, len))
		return -1;
	stats.answers[answer[0] & 0x3f]++;
	return answer[0] & 0x3f;
}

/* What has come is thrown away. False: the target has closed. */
static int drain(int fd)
{
	static uint8_t waste[65536];
	ssize_t n;

	while ((n = recv(fd, waste, sizeof(waste), MSG_DONTWAIT)) > 0)
		stats.answers[waste[0] & 0x3f]++;
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* ---- good PDUs ---------------------------------------------------------- */

static uint32_t text(uint32_t len, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	len += vsprintf((char *)pdu + BHS + len, fmt, ap) + 1;
	va_end(ap);
	return len;
}

static uint32_t login_pdu(void)
{
	uint32_t len = 0;

	memset(pdu, 0, BHS);
	pdu[0] = 0x43;
	pdu[1] = 0x87;			/* operational, to the full feature phase */
	put32(pdu + 8, 0x40000000 | (isid & 0xffffff));
	put32(pdu + 24, cmd_sn);
	len = text(len, "InitiatorName=iqn.2020-01.org.skua:hostile");
	len = text(len, "TargetName=%s", target);
	len = text(len, "SessionType=Normal");
	len = text(len, "HeaderDigest=None");
	len = text(len, "DataDigest=None");
	len = text(len, "InitialR2T=No");
	len = text(len, "ImmediateData=Yes");
	len = text(len, "MaxBurstLength=262144");
	len = text(len, "FirstBurstLength=65536");
	len = text(len, "MaxRecvDataSegmentLength=65536");
	put24(pdu + 5, len);
	return BHS + ((len + 3) & ~3U);
}

/* A connection in the full feature phase, in bounded time */
static int login(void)
{
	unsigned long begin = now_ms(), took;
	int fd = dial();

	cmd_sn = rnd(0x10000);
	isid = rnd(1 << 20);
	if (send_all(fd, pdu, login_pdu()) || get_pdu(fd) != 0x23 || answer[36] ||
	    !(answer[1] & 0x80))
		die("a good login failed after %lu PDUs: status %02x%02x", stats.pdus,
		    answer[36], answer[37]);
	took = now_ms() - begin;
	if (took > stats.slowest_ms)
		stats.slowest_ms = took;
	stats.logins++;
	return fd;
}

/* Log in, ask for a NOP and an INQUIRY, log out. */
static void good_session(void)
{
	int fd = login(), op;

	memset(pdu, 0, BHS);
	pdu[0] = 0x01;
	pdu[1] = 0xc1;
	put32(pdu + 16, 1);
	put32(pdu + 20, 36);
	put32(pdu + 24, cmd_sn++);
	pdu[32] = 0x12;
	pdu[36] = 36;
	if (send_all(fd, pdu, BHS))
		die("a good INQUIRY was not taken after %lu PDUs", stats.pdus);
	op = get_pdu(fd);
	if (op != 0x25 && op != 0x21)
		die("a good INQUIRY was not answered after %lu PDUs", stats.pdus);
	while (op == 0x25 && !(answer[1] & 1))
		op = get_pdu(fd);
	memset(pdu, 0, BHS);
	pdu[0] = 0x46;
	pdu[1] = 0x80;
	put32(pdu + 16, 2);
	put32(pdu + 24, cmd_sn);
	if (send_all(fd, pdu, BHS) || get_pdu(fd) != 0x26)
		die("a good logout was not answered after %lu PDUs", stats.pdus);
	close(fd);
}

static void scsi_pdu(void)
{
	static const uint8_t ops[] = { 0x00, 0x12, 0x28, 0x2a, 0x88, 0x8a, 0xa0, 0x1a, 0x25, 0x35,
				       0x41, 0x42, 0x55, 0x5e, 0x5f, 0x89, 0x93, 0x9e, 0xa3, 0x7f };
	uint8_t op = ops[rnd(sizeof(ops))];
	int write = op == 0x2a || op == 0x8a || op == 0x42 || op == 0x55;

	pdu[0] = 0x01 | (rnd(8) ? 0 : 0x40);
	pdu[1] = 0x80 | (write ? 0x20 : 0x40) | rnd(5);
	put32(pdu + 20, rnd(3) ? 4096 : rnd(1 << 20));
	pdu[32] = op;
	pdu[op == 0x2a || op == 0x28 ? 40 : 45] = 1 + rnd(16);
	if (write && rnd(2))
		put24(pdu + 5, rnd(4097));
	if (write && !rnd(4))
		pdu[1] &= 0x7f;		/* unsolicited data follows, or does not */
}

/* A PDU of the full feature phase, good but for what it means here */
static void any_pdu(void)
{
	static const uint8_t ops[] = { 0x00, 0x02, 0x04, 0x05, 0x06, 0x10, 0x03, 0x20, 0x31, 0x3f };
	uint8_t op = ops[rnd(sizeof(ops))];

	memset(pdu, 0, BHS);
	if (rnd(2)) {
		scsi_pdu();
	} else {
		pdu[0] = op | (rnd(2) ? 0x40 : 0);
		pdu[1] = 0x80 | rnd(16);
		put24(pdu + 5, rnd(3) ? 0 : rnd(2048));
		put32(pdu + 20, rnd(2) ? 0xffffffff : rnd(64) | rnd(3) << 12);
	}
	if ((pdu[0] & 0x3f) == 0x06 && rnd(4))
		pdu[0] = 0x40;		/* a logout would be the last PDU */
	put32(pdu + 8, rnd(4) ? 0 : rnd(0x10000) << 16);
	put32(pdu + 16, rnd(32));
	put32(pdu + 24, cmd_sn);
	put32(pdu + 28, rnd(16));
}

/* ---- bad ones ----------------------------------------------------------- */

/* Bytes of the header that are worth more attention than others */
static void spoil_header(void)
{
	static const uint8_t places[] = { 0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 24, 32, 36, 40, 44 };

	switch (rnd(6)) {
	case 0:
		pdu[places[rnd(sizeof(places))]] = rnd(256);
		break;
	case 1:
		pdu[rnd(BHS)] ^= 1 << rnd(8);
		break;
	case 2:
		pdu[4] = rnd(256);	/* additional header segments */
		break;
	case 3:
		put24(pdu + 5, rnd(2) ? rnd(1 << 24) : rnd(70000));
		break;
	case 4:
		put32(pdu + 20 + 4 * rnd(7), rnd(2) ? 0xffffffff : 0x80000000 + rnd(4096));
		break;
	default:
		put32(pdu + 4 * rnd(12), rnd(1U << 31));
		break;
	}
}

/* As long as the header says, as far as there is room, and now and then too short */
static uint32_t fill(uint32_t from)
{
	uint32_t len = BHS + pdu[4] * 4 + ((get24(pdu + 5) + 3) & ~3U), i;

	if (len > ROOM)
		len = ROOM;
	for (i = from; i < len; i += 1 + rnd(4))
		pdu[i] = rnd(256);
	return rnd(50) ? len : BHS + rnd(len - BHS + 1);
}

static uint32_t spoil_ahs(void)
{
	pdu[4] = 1 + rnd(12);
	memmove(pdu + BHS + pdu[4] * 4, pdu + BHS, 64);
	pdu[BHS] = rnd(3) ? 0 : rnd(256);
	pdu[BHS + 1] = rnd(3) ? rnd(48) : rnd(256);
	pdu[BHS + 2] = rnd(4);
	return fill(BHS + 3);
}

static uint32_t bad_pdu(void)
{
	uint32_t n = 1 + rnd(3);

	any_pdu();
	if (!rnd(6))
		return spoil_ahs();
	if (rnd(4))
		while (n--)
			spoil_header();
	return fill(BHS);
}

/* Text that is wrong in one way or another, behind the login's header */
static uint32_t spoil_text(uint32_t len)
{
	static const char *const keys[] = {
		"MaxRecvDataSegmentLength=0", "MaxBurstLength=99999999999", "FirstBurstLength=-1",
		"HeaderDigest=", "=None", "InitialR2T", "AuthMethod=CHAP,None,KRB5,X",
		"CHAP_A=5,6,7,8", "CHAP_N=x", "CHAP_R=0xzz", "CHAP_I=256", "X-a=b",
		"SessionType=Discovery", "TargetName=", "InitiatorName=\t", "SendTargets=All",
		"MaxConnections=65536", "ErrorRecoveryLevel=3", "InitiatorName=a",
		"DataPDUInOrder=Maybe", "RDMAExtensions=Yes", "IFMarker=Yes", "OFMarkInt=1~2",
	};
	uint32_t n = 1 + rnd(6), i;

	switch (rnd(5)) {
	case 0:				/* bytes at random */
		for (i = 0; i < n; i++)
			pdu[BHS + rnd(len - BHS)] = rnd(256);
		break;
	case 1:				/* a very long key or value */
		n = 1 + rnd(7900);
		memset(pdu + len, "A=0,"[rnd(4)], n);
		len += n;
		break;
	default:
		len = BHS + get24(pdu + 5);
		for (i = 0; i < n; i++) {
			const char *key = keys[rnd(sizeof(keys) / sizeof(*keys))];

			memcpy(pdu + len, key, strlen(key) + 1);
			len += strlen(key) + 1;
		}
	}
	put24(pdu + 5, len - BHS);
	memset(pdu + len, 0, 3);
	return (len + 3) & ~3U;
}

static uint32_t bad_login(int first)
{
	uint32_t len = login_pdu();

	if (!first && rnd(2)) {
		put24(pdu + 5, 0);
		len = BHS;
	}
	if (rnd(3))
		pdu[1] = rnd(4) << 2 | rnd(4) | rnd(4) << 6;
	if (rnd(4) && len > BHS)
		len = spoil_text(len);
	if (!rnd(3)) {
		spoil_header();
		pdu[0] = rnd(8) ? 0x43 : pdu[0];
		len = BHS + pdu[4] * 4 + ((get24(pdu + 5) + 3) & ~3U);
		if (len > 20000)
			len = BHS + rnd(20000 - BHS);
	}
	return len;
}

/* ---- attacks ------------------------------------------------------------ */

static unsigned long attack(unsigned long left)
{
	int phase = rnd(3), fd = phase ? login() : dial();
	unsigned long n = 1 + rnd(phase ? PER_CONN : 6), i;

	if (n > left)
		n = left;
	for (i = 0; i < n; i++) {
		uint32_t len = phase ? bad_pdu() : bad_login(!i);
		int takes_sn = (pdu[0] & 0x40) == 0;

		if (send_all(fd, pdu, len))
			break;
		stats.pdus++;
		if (takes_sn)
			cmd_sn++;
		if (!drain(fd)) {
			stats.closed++;
			break;
		}
		if (!rnd(8))
			usleep(1000);
	}
	if (rnd(3))
		shutdown(fd, SHUT_WR);
	close(fd);
	return i;
}

/* ---- attacks with a name ------------------------------------------------- */

/* Whether the target ends the connection within 20 s, whatever it says until then */
static int closed_by_target(int fd)
{
	unsigned long until = now_ms() + 20000;

	while (now_ms() < until) {
		if (!drain(fd))
			return 1;
		usleep(1000);
	}
	return 0;
}

/*
 * A login whose data segment is longer than the 8192 bytes of that phase. All of its data
 * follows in small segments, so that some come while the connection is being ended.
 */
static void long_login(void)
{
	uint32_t at, step, i;
	int fd;

	for (i = 0; i < LONG_LOGINS; i++) {
		fd = dial();
		login_pdu();
		memset(pdu + BHS, 'A', 8196);
		put24(pdu + 5, 8196);
		step = 16 << i % 6;
		for (at = 0; at < BHS + 8196; at += step)
			if (send_all(fd, pdu + at,
				     at + step > BHS + 8196 ? BHS + 8196 - at : step))
				break;
		if (!closed_by_target(fd))
			die("a login with a data segment of 8196 bytes was not refused");
		stats.pdus++;
		stats.closed++;
		close(fd);
	}
}

/*
 * Immediate NOP-Outs, none of whose answers is read. A target that keeps an answer for
 * each of them takes all; one with a limit stops to read long before.
 */
static void nop_flood(void)
{
	struct timeval limit = { .tv_sec = 2 };
	unsigned long taken = 0;
	int fd = login(), small = 65536;

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	memset(pdu, 0, BHS + 65536);
	pdu[0] = 0x40;
	pdu[1] = 0x80;
	put24(pdu + 5, 65536);
	put32(pdu + 20, 0xffffffff);
	put32(pdu + 24, cmd_sn);
	while (taken < FLOOD_BYTES) {
		put32(pdu + 16, taken >> 16);
		if (send_all(fd, pdu, BHS + 65536))
			break;
		stats.pdus++;
		taken += 65536;
	}
	if (taken >= FLOOD_BYTES)
		die("the target took %lu bytes of NOP-Outs whose answers nobody reads", taken);
	close(fd);
}

static void report(void)
{
	int i;

	printf("%lu PDUs on %lu connections, %lu closed by the target, %lu good logins, "
	       "slowest %lu ms\nanswers:", stats.pdus, stats.conns, stats.closed, stats.logins,
	       stats.slowest_ms);
	for (i = 0; i < 64; i++)
		if (stats.answers[i])
			printf(" %02x:%lu", i, stats.answers[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	unsigned long count, last = 0;

	if (argc < 5 || argc > 6)
		die("ADDRESS PORT TARGET COUNT [SEED]");
	address.sin_family = AF_INET;
	address.sin_port = htons(atoi(argv[2]));
	if (inet_pton(AF_INET, argv[1], &address.sin_addr) != 1)
		die("%s is no address", argv[1]);
	target = argv[3];
	count = strtoul(argv[4], NULL, 0);
	if (argc > 5)
		seed = strtoull(argv[5], NULL, 0);
	good_session();
	long_login();
	nop_flood();
	good_session();
	count += stats.pdus;
	last = stats.pdus;
	while (stats.pdus < count) {
		attack(count - stats.pdus);
		if (stats.pdus - last < CHECK_EVERY)
			continue;
		last = stats.pdus;
		good_session();
	}
	good_session();
	report();
	return 0;
}
