// SPDX-License-Identifier: GPL-2.0
/*
 * scsi-cmd: sends CDBs through SG_IO and prints one line for each.
 *
 *	scsi-cmd [-t MS] [-x N] DEVICE [COMMAND...]
 *
 * COMMAND, or a line of standard input if there is none:
 *
 *	none CDB			no data
 *	in LENGTH CDB			expects LENGTH bytes from the device
 *	out LENGTH CDB [DATA]		sends LENGTH bytes
 *
 * CDB is a string of hexadecimal digits, blanks allowed between bytes when it
 * is the last word. DATA is "fill:HH", "hex:DIGITS" (zeroes follow) or "file:NAME".
 *
 * Output: STATUS [KEY/ASC/ASCQ] resid N [info X] [field B] [data HEX]. STATUS is GOOD,
 * CHECK, BUSY, CONFLICT, FULL, ABORTED, ACA, MET, status:XX, or host:XX when
 * no status came. The exit status is 1 only for what is wrong with the call itself.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_CDB		252
#define MAX_DATA	(32 << 20)

static unsigned int timeout_ms = 30000, show = 256;

static void die(const char *what, const char *arg)
{
	fprintf(stderr, "scsi-cmd: %s: %s\n", what, arg);
	exit(1);
}

/* Digits and blanks up to another character; returns the bytes. */
static size_t parse_hex(const char **text, uint8_t *buf, size_t size)
{
	const char *p = *text;
	size_t n = 0;

	for (;;) {
		while (*p == ' ')
			p++;
		if (!isxdigit((unsigned char)p[0]) || !isxdigit((unsigned char)p[1]))
			break;
		if (n == size)
			die("too long", *text);
		if (sscanf(p, "%2hhx", &buf[n++]) != 1)
			break;
		p += 2;
	}
	*text = p;
	return n;
}

static void fill_data(const char *word, uint8_t *data, size_t len)
{
	const char *p;
	size_t n;
	int fd;

	while (*word == ' ')
		word++;
	if (!*word)
		return;
	if (!strncmp(word, "fill:", 5)) {
		memset(data, strtoul(word + 5, NULL, 16), len);
	} else if (!strncmp(word, "hex:", 4)) {
		p = word + 4;
		parse_hex(&p, data, len);
	} else if (!strncmp(word, "file:", 5)) {
		fd = open(word + 5, O_RDONLY);
		if (fd < 0)
			die(word + 5, strerror(errno));
		for (n = 0; n < len;) {
			ssize_t r = read(fd, data + n, len - n);

			if (r <= 0)
				break;
			n += r;
		}
		close(fd);
	} else {
		die("what data is this", word);
	}
}

static void print_sense(const uint8_t *s, unsigned int len)
{
	unsigned int i;
	uint64_t info = 0;

	if (len < 8) {
		printf(" no-sense");
		return;
	}
	if ((s[0] & 0x7f) >= 0x72) {
		printf(" %x/%02x/%02x", s[1] & 15, s[2], s[3]);
		for (i = 8; i + 2 <= len && i < 8u + s[7]; i += 2 + s[i + 1]) {
			if (s[i] == 0 && i + 12 <= len) {
				for (unsigned int k = 0; k < 8; k++)
					info = info << 8 | s[i + 4 + k];
				printf(" info %llu", (unsigned long long)info);
			}
			if (s[i] == 2 && i + 7 <= len)
				printf(" field %u", s[i + 5] << 8 | s[i + 6]);
		}
		printf(" desc");
		return;
	}
	printf(" %x/%02x/%02x", s[2] & 15, len > 12 ? s[12] : 0, len > 13 ? s[13] : 0);
	if (s[0] & 0x80)
		printf(" info %u", (unsigned int)s[3] << 24 | s[4] << 16 | s[5] << 8 | s[6]);
	if (len > 17 && s[15] & 0x80)
		printf(" field %u", s[16] << 8 | s[17]);
}

static const char *status_name(unsigned int status)
{
	static char other[16];

	switch (status) {
	case 0x00: return "GOOD";
	case 0x02: return "CHECK";
	case 0x04: return "MET";
	case 0x08: return "BUSY";
	case 0x18: return "CONFLICT";
	case 0x28: return "FULL";
	case 0x30: return "ACA";
	case 0x40: return "ABORTED";
	}
	snprintf(other, sizeof(other), "status:%02x", status);
	return other;
}

static void run(int fd, const char *line)
{
	static uint8_t *data;
	uint8_t cdb[MAX_CDB] = {}, sense[252] = {};
	struct sg_io_hdr hdr = {
		.interface_id = 'S', .cmdp = cdb, .sbp = sense, .mx_sb_len = sizeof(sense),
		.timeout = timeout_ms, .dxfer_direction = SG_DXFER_NONE,
	};
	char dir[8], *end;
	const char *p = line;
	unsigned int got, i;

	if (!data)
		data = aligned_alloc(4096, MAX_DATA);
	if (!data)
		die("no memory", "");
	if (sscanf(p, "%7s", dir) != 1)
		die("empty command", line);
	p = strstr(p, dir) + strlen(dir);
	if (strcmp(dir, "none")) {
		hdr.dxfer_direction = !strcmp(dir, "in") ? SG_DXFER_FROM_DEV :
				      !strcmp(dir, "out") ? SG_DXFER_TO_DEV : 0;
		if (!hdr.dxfer_direction)
			die("neither none, in nor out", line);
		hdr.dxfer_len = strtoul(p, &end, 0);
		if (hdr.dxfer_len > MAX_DATA)
			die("too long", line);
		p = end;
		hdr.dxferp = data;
		memset(data, hdr.dxfer_direction == SG_DXFER_FROM_DEV ? 0xa5 : 0, hdr.dxfer_len);
		if (!hdr.dxfer_len)
			hdr.dxfer_direction = SG_DXFER_NONE;
	}
	hdr.cmd_len = parse_hex(&p, cdb, sizeof(cdb));
	if (!hdr.cmd_len)
		die("no CDB", line);
	fill_data(p, data, hdr.dxfer_len);

	if (ioctl(fd, SG_IO, &hdr) < 0) {
		printf("errno:%d\n", errno);
		return;
	}
	if (hdr.host_status)
		printf("host:%02x", hdr.host_status);
	else
		printf("%s", status_name(hdr.status));
	if (hdr.status == 2)
		print_sense(sense, hdr.sb_len_wr);
	printf(" resid %d", hdr.resid);
	if (hdr.dxfer_direction == SG_DXFER_FROM_DEV && (!hdr.status || hdr.status == 2) &&
	    !hdr.host_status) {
		got = hdr.dxfer_len - (hdr.resid > 0 ? hdr.resid : 0);
		if (got && show)
			printf(" data ");
		for (i = 0; i < got && i < show; i++)
			printf("%02x", data[i]);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	char line[4096];
	int opt, fd;

	while ((opt = getopt(argc, argv, "t:x:")) != -1) {
		if (opt == 't')
			timeout_ms = strtoul(optarg, NULL, 0);
		else if (opt == 'x')
			show = strtoul(optarg, NULL, 0);
		else
			return 1;
	}
	if (optind == argc)
		die("usage", "scsi-cmd [-t MS] [-x N] DEVICE [COMMAND...]");
	fd = open(argv[optind], O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die(argv[optind], strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (optind + 1 < argc) {
		for (opt = optind + 1; opt < argc; opt++)
			run(fd, argv[opt]);
	} else {
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = '\0';
			if (*line)
				run(fd, line);
		}
	}
	return 0;
}
