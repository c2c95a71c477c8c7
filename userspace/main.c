// SPDX-License-Identifier: GPL-2.0
/* skuaadm: the administrator's tool of Skua. */
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "term.h"
#include "version.h"

const struct command commands[] = {
	{ "apply", cmd_apply, "make the kernel what a configuration file says",
	  "[OPTIONS] [FILE]\n\n"
	  "Checks FILE, shows what is to be created, changed and removed, asks, and does it\n"
	  "as a whole: if a step fails, those before it are taken back. What FILE does not\n"
	  "name is not touched.\n\n"
	  "  -n, --dry-run       only show the plan\n"
	  "  -y, --yes           do not ask\n"
	  "      --prune         remove what FILE does not name\n"
	  "      --recreate      delete and make anew devices whose fixed parameters differ\n"
	  "  -k, --keep-going    do what can be done and take nothing back\n"
	  "  -p, --partial NAME  only this target (with the devices it shows) or device;\n"
	  "                      may be repeated\n"
	  "  -j, --json          plan and result as JSON; needs --yes or --dry-run\n\n"
	  "Exit status: 0 done, or nothing to do; 1 done in part (--keep-going); 3 FILE is\n"
	  "wrong or does not fit; 4 failed, all is as it was; 5 failed, and not all could be\n"
	  "taken back; 6 not confirmed; 7 Skua is not loaded.\n" },
	{ "save", cmd_save, "write what the kernel has to a configuration file",
	  "[OPTIONS] [FILE]\n\n"
	  "Replaces FILE, all at once; the previous one stays as FILE~. \"-\" is standard\n"
	  "output. Asks if FILE has objects that are not there now.\n\n"
	  "  -y, --yes    do not ask\n"
	  "  -a, --all    all attributes that can be set, also those that have defaults\n"
	  "  -q, --quiet  say nothing if all is well\n\n"
	  "Exit status: 0 saved; 1 failed; 6 not confirmed; 7 Skua is not loaded.\n" },
	{ "check", cmd_check, "look for errors in a configuration file",
	  "[--print] [--quiet] [FILE]\n\n"
	  "Reads FILE and says what is wrong with it and where. Touches nothing and needs\n"
	  "no kernel module.\n\n"
	  "  -p, --print  write the configuration as it was understood\n"
	  "  -q, --quiet  only what is wrong\n" },
	{ }
};

const struct command *find_command(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* One line on standard error */
void complain(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%sskuaadm:%s ", term_red(stderr), term_plain(stderr));
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Says what was wrong with the command line, if @format, and how it should look. */
int usage(const char *command, const char *format, ...)
{
	const struct command *c = find_command(command);
	va_list ap;

	if (format) {
		fputs("skuaadm: ", stderr);
		va_start(ap, format);
		vfprintf(stderr, format, ap);
		va_end(ap);
		fputc('\n', stderr);
	}
	fprintf(stderr, "Usage: skuaadm %s %.*s\n"
		"\"skuaadm %s --help\" says more.\n", command,
		(int)strcspn(c->help, "\n"), c->help, command);
	return EXIT_USAGE;
}

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

static int run(const struct command *c, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("Usage: skuaadm %s %s", c->name, c->help);
			return EXIT_OK;
		}
	return c->run(argc, argv);
}

int main(int argc, char **argv)
{
	const struct command *c;
	int status;

	setlocale(LC_CTYPE, "");
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
	status = run(c, argc - 1, argv + 1);
	if (fflush(stdout) || ferror(stdout)) {
		perror("skuaadm: standard output");
		return status ? status : EXIT_FAILED;
	}
	return status;
}
