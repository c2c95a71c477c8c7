// SPDX-License-Identifier: GPL-2.0
/* skuaadm: the administrator's tool of Skua. */
#include <locale.h>
#include <string.h>

#include "cmd.h"
#include "scstadmin.h"
#include "term.h"
#include "version.h"

static void print_help(FILE *out)
{
	const struct command *c;

	fputs("Usage: skuaadm COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n", out);
	for (c = commands; c->name; c++)
		fprintf(out, "  %s%-14s%s %s\n", term_bold(out), c->name, term_plain(out),
			c->summary);
	fputs("\n\"skuaadm COMMAND --help\" explains one, skuaadm(8) all of them.\n"
	      "Configuration files: /etc/skua.conf, or /etc/scst.conf if that is not there.\n", out);
}

int main(int argc, char **argv)
{
	const struct command *c;
	int status;

	setlocale(LC_CTYPE, "");
	if (!strcmp(basename(argv[0]), "scstadmin"))
		return scst_main(argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2 && find_command(argv[2])) {
		c = find_command(argv[2]);
		printf("Usage: skuaadm %s %s", c->name, c->help);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("skuaadm " SKUAADM_VERSION);
		return EXIT_OK;
	}
	c = find_command(argv[1]);
	if (!c) {
		complain("there is no command \"%s\"; \"skuaadm help\" lists them", argv[1]);
		return EXIT_USAGE;
	}
	status = run_command(c, argc - 1, argv + 1);
	if (fflush(stdout) || ferror(stdout)) {
		perror("skuaadm: standard output");
		return status ? status : EXIT_FAILED;
	}
	return status;
}
