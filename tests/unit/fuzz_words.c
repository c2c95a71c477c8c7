// SPDX-License-Identifier: GPL-2.0
/* Any text as a command, a list of parameters, a value and a pattern. */
#include "../../core/words.c"
#include "../../core/match.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = malloc(size + 1), *copy = malloc(size + 1), *p, *name, *value;
	u8 bytes[16];
	bool b = true;
	u64 v;

	if (!text || !copy)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	strcpy(copy, text);
	for (p = copy; (name = skua_next_word(&p));)
		if (!*name || strpbrk(name, " \t\n="))
			abort();
	strcpy(copy, text);
	for (p = skua_skip_blanks(copy); skua_next_param(&p, &name, &value) > 0;)
		if (!*name || !*value || strpbrk(value, ";\n="))
			abort();
	if (!skua_parse_bool(text, &b) && (skua_parse_u64(text, &v) || v != b))
		abort();
	if (skua_parse_hex(text, bytes, sizeof(bytes)) > (int)sizeof(bytes))
		abort();
	if (skua_name_ok(text, 256) && (strlen(text) > 255 || strchr(text, '/')))
		abort();
	if (size < 200) {
		p = strchr(text, '\n');
		if (p) {
			*p++ = '\0';
			skua_match(text, p);
		}
	}
	free(copy);
	free(text);
	return 0;
}
