// SPDX-License-Identifier: GPL-2.0
/* Any text requests, and any additional header segments. */
#include "../../transports/iscsi/text.c"
#include "../../transports/iscsi/keys.c"
#include "../../transports/iscsi/textreq.c"
#include "../../transports/iscsi/pdu.c"

static int env_targets(void *arg, const char *which, struct iscsi_text *out)
{
	int i;

	for (i = 0; i < 20; i++)
		iscsi_text_add(out, "TargetName", which && *which ? which : "all");
	return 0;
}

static const struct iscsi_exchange_env env = { .targets = env_targets };

static void fuzz_ahs(const u8 *data, size_t size)
{
	struct iscsi_bhs bhs = { .ahs_words = size / 4 > 255 ? 255 : size / 4 };
	u8 *copy = malloc(bhs.ahs_words * 4);
	struct iscsi_scsi_req scsi;

	memcpy(copy, data, bhs.ahs_words * 4);
	if (!iscsi_parse_scsi(&bhs, copy, &scsi) && scsi.cdb_len > 32 && scsi.cdb_len != 255)
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct iscsi_exchange x;
	static char buf[1500];
	struct iscsi_nego nego;
	struct iscsi_bhs req = { .opcode = ISCSI_TEXT_REQ, .ttt = ~0 }, rsp = {};
	u8 values[64];

	fuzz_ahs(data, size);
	if (size) {
		char *text = strndup((const char *)data, size);

		if (iscsi_parse_binary(text, values, sizeof(values)) > (int)sizeof(values))
			abort();
		free(text);
	}
	iscsi_nego_init(&nego, false);
	nego.discovery = size & 1;
	iscsi_exchange_init(&x, &nego, &env, NULL, buf, sizeof(buf));
	while (size >= 2) {
		size_t len = data[1] < size - 2 ? data[1] : size - 2;
		const void *text = NULL;
		u8 *copy = malloc(len);
		u32 most = 512;

		req.flags = data[0] & 0xc0;
		req.ttt = data[0] & 1 ? rsp.ttt : ~0U;
		memcpy(copy, data + 2, len);
		iscsi_set_dsl(&req, len);
		if (!iscsi_exchange_step(&x, &req, copy, len, most, &rsp, &text)) {
			if (iscsi_dsl(&rsp) > most ||
			    (const char *)text + iscsi_dsl(&rsp) > buf + sizeof(buf))
				abort();
		}
		free(copy);
		data += 2 + len;
		size -= 2 + len;
	}
	return 0;
}
