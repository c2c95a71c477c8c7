// SPDX-License-Identifier: GPL-2.0
/* skuaadm convert: LIO's saveconfig.json in our language */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cmd.h"
#include "lio.h"
#include "parse.h"

int cmd_convert(int argc, char **argv)
{
	struct diags diags = { 0 };
	struct text out = { 0 };
	struct node *root;
	int status;

	if (argc != 2)
		return usage("convert", NULL);
	diags.file = argv[1];
	root = lio_read(argv[1], &diags);
	if (root && !diags.errors)
		conf_check(root, &diags);
	if (root && !diags.errors) {
		text_add(&out, "# Converted from %s by skuaadm.\n\n", argv[1]);
		conf_print(root, &out, &diags);
	}
	diags_print(&diags, stderr);
	status = root && !diags.errors ? EXIT_OK : EXIT_FILE;
	if (status == EXIT_OK)
		fputs(out.s, stdout);
	text_free(&out);
	node_free(root);
	diags_free(&diags);
	return status;
}
