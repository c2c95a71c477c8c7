// SPDX-License-Identifier: GPL-2.0
/*
 * dm-query DEVICE PORT DGID: asks the device management agent of a port, as
 * srp_daemon does, and prints what it says, one "name value" a line. DGID is a
 * GID in the usual text form; there need be no subnet administrator.
 *
 * Exit status: 0; 1: an answer is missing or wrong; 2: no management datagrams
 * from user space here.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DM_CLASS	0x06
#define GET		0x01
#define SET		0x02
#define GET_RESP	0x81
#define GSI_QKEY	0x80010000
#define MAD_LEN		256

struct mad {
	uint8_t base_version, mgmt_class, class_version, method;
	uint16_t status, class_specific;
	uint64_t tid;
	uint16_t attr_id, reserved;
	uint32_t attr_mod;
	uint8_t rmpp[40];
	uint8_t data[192];
} __attribute__((packed));

static int fd, agent;
static struct ib_mad_addr to = { .grh_present = 1, .hop_limit = 64 };

/* One request; the answer's status, or -1. */
static int ask(uint8_t method, uint16_t attr, uint32_t mod, struct mad *answer)
{
	static uint32_t tid = 1;
	void *buf = umad_alloc(1, umad_size() + MAD_LEN);
	struct mad *mad = umad_get_mad(buf);
	int len = MAD_LEN, ret = -1;

	memset(mad, 0, MAD_LEN);
	mad->base_version = 1;
	mad->mgmt_class = DM_CLASS;
	mad->class_version = 1;
	mad->method = method;
	mad->tid = htobe64(tid++);
	mad->attr_id = htons(attr);
	mad->attr_mod = htonl(mod);
	umad_set_addr(buf, 0, 1, 0, GSI_QKEY);
	umad_set_grh(buf, &to);
	if (umad_send(fd, agent, buf, MAD_LEN, 1000, 3) == 0 &&
	    umad_recv(fd, buf, &len, 10000) == agent && umad_status(buf) == 0 &&
	    mad->method == GET_RESP) {
		*answer = *mad;
		ret = ntohs(mad->status);
	}
	umad_free(buf);
	return ret;
}

static uint64_t be(const uint8_t *p, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

static int query(void)
{
	struct mad m;

	if (ask(GET, 0x01, 0, &m))
		return fprintf(stderr, "no ClassPortInfo\n"), 1;
	printf("class_version %u\n", m.data[1]);
	if (ask(GET, 0x10, 0, &m))
		return fprintf(stderr, "no IOUnitInfo\n"), 1;
	printf("controllers %u\nslot1 %u\nslot2 %u\n", m.data[2], m.data[4] >> 4, m.data[4] & 15);
	if (ask(GET, 0x11, 1, &m))
		return fprintf(stderr, "no IOControllerProfile\n"), 1;
	printf("ioc_guid %016" PRIx64 "\n", be(m.data, 8));
	printf("io_class %04x\nio_subclass %04x\nprotocol %04x\n", (unsigned)be(m.data + 28, 2),
	       (unsigned)be(m.data + 30, 2), (unsigned)be(m.data + 32, 2));
	printf("send_size %u\nrdma_size %u\nentries %u\nid %.64s\n", (unsigned)be(m.data + 44, 4),
	       (unsigned)be(m.data + 48, 4), m.data[54], m.data + 64);
	if (ask(GET, 0x12, 1 << 16, &m))
		return fprintf(stderr, "no ServiceEntries\n"), 1;
	printf("service %.40s\nservice_id %016" PRIx64 "\n", m.data, be(m.data + 40, 8));
	printf("empty_slot %04x\n", ask(GET, 0x11, 2, &m));
	printf("wrong_slot %04x\n", ask(GET, 0x11, 77, &m));
	printf("wrong_entry %04x\n", ask(GET, 0x12, 1 << 16 | 5 << 8 | 3, &m));
	printf("wrong_attribute %04x\n", ask(GET, 0x99, 0, &m));
	printf("set %04x\n", ask(SET, 0x10, 0, &m));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 4 || inet_pton(AF_INET6, argv[3], to.gid) != 1) {
		fprintf(stderr, "usage: dm-query DEVICE PORT DGID\n");
		return 1;
	}
	if (umad_init() < 0 || (fd = umad_open_port(argv[1], atoi(argv[2]))) < 0 ||
	    (agent = umad_register(fd, DM_CLASS, 1, 0, NULL)) < 0) {
		perror("dm-query: no umad on this port");
		return 2;
	}
	return query();
}
