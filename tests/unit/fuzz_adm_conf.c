// SPDX-License-Identifier: GPL-2.0
/* Any text as a configuration. One without errors survives being printed and read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const struct node *root)
{
	struct diags diags = { .file = "out" };
	struct text out = { 0 };

	if (!conf_print(root, &out, &diags))
		abort();
	diags_free(&diags);
	return text_take(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diags diags = { .file = "in" }, again = { .file = "again" };
	struct node *root = conf_parse((const char *)data, size, &diags), *second;
	char *first, *copy;

	if (!diags.errors) {
		conf_check(root, &diags);
		first = print(root);
		second = conf_parse(first, strlen(first), &again);
		if (again.errors)
			abort();
		copy = print(second);
		if (strcmp(first, copy))
			abort();
		free(first);
		free(copy);
		node_free(second);
	}
	diags_free(&diags);
	diags_free(&again);
	node_free(root);
	return 0;
}
