// SPDX-License-Identifier: GPL-2.0
/* The table of commands, and what they have in common. */
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "term.h"

#define OBJECT_HELP								\
	"OBJECT is a path below /sys/kernel/scst_tgt, such as devices/disk0 or\n"	\
	"targets/iscsi/TARGET/luns/0; or a device, or DRIVER/... or TARGET/... where that is\n"	\
	"clear; or / for the root.\n\n"

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
	  "taken back; 6 not confirmed; 7 Skua is not loaded.\n", true },
	{ "save", cmd_save, "write what the kernel has to a configuration file",
	  "[OPTIONS] [FILE]\n\n"
	  "Replaces FILE, all at once; the previous one stays as FILE~. \"-\" is standard\n"
	  "output. Asks if FILE has objects that are not there now.\n\n"
	  "  -y, --yes    do not ask\n"
	  "  -a, --all    all attributes that can be set, also those that have defaults\n"
	  "  -q, --quiet  say nothing if all is well\n\n"
	  "Exit status: 0 saved; 1 failed; 6 not confirmed; 7 Skua is not loaded.\n", true },
	{ "check", cmd_check, "look for errors in a configuration file",
	  "[--print] [--modules] [--quiet] [FILE]\n\n"
	  "Reads FILE and says what is wrong with it and where. Touches nothing and needs\n"
	  "no kernel module.\n\n"
	  "  -p, --print    write the configuration as it was understood\n"
	  "  -m, --modules  names of the kernel modules it needs, one a line\n"
	  "  -q, --quiet    only what is wrong\n", true },
	{ "show", cmd_show, "devices, targets, LUNs, groups and sessions as a tree",
	  "[--rates[=SECONDS]]\n\n"
	  "Shows everything that is configured, and who is logged in.\n\n"
	  "  -r, --rates[=SECONDS]  what sessions do in a second, measured over SECONDS (1),\n"
	  "                         instead of what they have done\n", true },
	{ "list", cmd_list, "names of one kind of object, one a line",
	  "handlers|devices|drivers|targets|groups|luns|initiators|sessions|\n"
	  "                    device_groups|target_groups\n\n"
	  "The names are as the other commands take them.\n", false },
	{ "get", cmd_get, "attributes of an object",
	  "OBJECT [ATTRIBUTE...]\n\n" OBJECT_HELP
	  "All attributes, or the bare values of those named. [set]: away from its default,\n"
	  "and so saved; [fixed]: cannot be written.\n", false },
	{ "set", cmd_set, "change attributes of an object",
	  "OBJECT ATTRIBUTE=VALUE...\n\n" OBJECT_HELP
	  "If one is refused, those before it are set back. An empty VALUE clears.\n", false },
	{ "add", cmd_add, "create an object",
	  "OBJECT [ATTRIBUTE=VALUE...]\n\n" OBJECT_HELP
	  "Examples:\n"
	  "  skuaadm add handlers/vdisk_nullio/disk0 size_mb=64\n"
	  "  skuaadm add targets/iscsi/iqn.2020-01.org.example:t\n"
	  "  skuaadm add iscsi/iqn.2020-01.org.example:t/luns/0 device=disk0 read_only=1\n"
	  "  skuaadm add iscsi/iqn.2020-01.org.example:t/ini_groups/hosts\n"
	  "  skuaadm add iscsi/iqn.2020-01.org.example:t/ini_groups/hosts/initiators/'iqn.*'\n", false },
	{ "del", cmd_del, "delete an object and what is in it",
	  "[--yes] OBJECT\n\n" OBJECT_HELP
	  "Asks if anything else goes with it (LUNs of a device, groups of a target).\n\n"
	  "  -y, --yes  do not ask\n", true },
	{ "enable", cmd_enable, "let initiators log in to a target or driver",
	  "TARGET|DRIVER\n", false },
	{ "disable", cmd_disable, "close the sessions of a target or driver and let nobody in",
	  "TARGET|DRIVER\n", false },
	{ "resize", cmd_resize, "give a device another size, or read its medium's anew",
	  "DEVICE [SIZE]\n\nSIZE is in bytes, or with K, M, G, T or P in powers of 1024. Without it the size\n"
	  "of the medium is read again. Initiators are told.\n", false },
	{ "sessions", cmd_sessions, "who is logged in, and what they have done",
	  "[--rates[=SECONDS]] [TARGET|DRIVER]\n\n"
	  "  -r, --rates[=SECONDS]  what they do in a second, measured over SECONDS (1)\n", true },
	{ "close-session", cmd_close_session, "end a session",
	  "SESSION...\n\nBy its name, or as DRIVER/TARGET/sessions/NAME. Waits until it is gone. The\n"
	  "initiator may log in again.\n", false },
	{ "top", cmd_top, "what sessions and LUNs are doing, live",
	  "[OPTIONS] [TARGET|DRIVER]\n\n"
	  "Commands and MB (10^6 bytes) in a second, commands in progress, and how long commands\n"
	  "take: half of them, 99 and 99.9 percent take no longer than that. Without a terminal\n"
	  "it prints one table.\n\n"
	  "  -b, --batch N           print N tables, one after the other\n"
	  "  -i, --interval SECONDS  from one to the next (1)\n"
	  "  -l, --luns              a line for each LUN instead of each session\n"
	  "  -s, --sort COLUMN       name (the default), reads, writes, others, read-mb,\n"
	  "                          write-mb, depth, p50, p99 or p99.9; the largest first\n"
	  "  -r, --reverse           the smallest first\n"
	  "  -m, --measure           measure latency while this runs (measure_latency)\n\n"
	  "Keys: q quits, s changes between sessions and LUNs, < and > choose the column to sort\n"
	  "by, r reverses, m switches the measuring of latency, + and - change the interval,\n"
	  "arrows and pages scroll. measure_latency is in the end as it was before.\n", true },
	{ "stats", cmd_stats, "counters of all sessions and LUNs, for programs",
	  "--json | --prometheus [OPTIONS]\n\n"
	  "  -j, --json               one object with the list \"sessions\"\n"
	  "  -r, --rates[=SECONDS]    with what they do in a second, over SECONDS (1)\n"
	  "  -p, --prometheus         the text format of Prometheus\n"
	  "  -l, --listen [ADDRESS:]PORT  answer requests for /metrics by HTTP, until a signal;\n"
	  "                           ADDRESS is 127.0.0.1 if not given\n"
	  "  -t, --textfile FILE      write FILE, all at once, for a textfile collector\n"
	  "  -i, --interval SECONDS   again and again, until a signal\n\n"
	  "Latency is there while measure_latency is 1. With --listen and --textfile it is no\n"
	  "error if Skua is not loaded: skua_up is 0 then.\n", true },
	{ "convert", cmd_convert, "LIO's saveconfig.json as a configuration of ours",
	  "FILE.json\n\n"
	  "Writes the configuration to standard output, and says on standard error what\n"
	  "cannot be carried over.\n", false },
	{ "doctor", cmd_doctor, "what stands in the way, and what to do about it",
	  "\n\nLooks at modules, the configuration file, RDMA devices and ports, memory, targets and\n"
	  "devices. Changes nothing. Exit status 1 if there is something to look at.\n", false },
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

	fflush(stdout);
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

/* Runs one, or explains it. */
int run_command(const struct command *c, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("Usage: skuaadm %s %s", c->name, c->help);
			return EXIT_OK;
		}
	for (i = 1; i < argc && !c->options; i++)
		if (argv[i][0] == '-' && argv[i][1])
			return usage(c->name, "there is no option %s", argv[i]);
	optind = 0;
	return c->run(argc, argv);
}
