// SPDX-License-Identifier: GPL-2.0
/*
 * Called as scstadmin: that tool's options, which may be shortened and begin with one or
 * two dashes, its questions and its exit codes.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd.h"
#include "scstadmin.h"
#include "term.h"

#define MAX_OPS		64

enum where { W_DRIVER, W_TARGET, W_GROUP, W_DEVICE, W_HANDLER, W_ATTRIBUTES, W_DEV_GROUP,
	     W_TGT_GROUP, W_TO, W_FORCE, W_NOPROMPT, W_CONT, W_NONKEY, W_DEBUG, W_IGNORED, W_HELP };

static const struct modifier {
	const char *name;
	char arg;
	enum where where;
} modifiers[] = {
	{ "driver", '!', W_DRIVER }, { "target", '!', W_TARGET }, { "group", '!', W_GROUP },
	{ "device", '!', W_DEVICE }, { "handler", '!', W_HANDLER },
	{ "attributes", '!', W_ATTRIBUTES }, { "dev_group", '!', W_DEV_GROUP },
	{ "tgt_group", '!', W_TGT_GROUP }, { "to", '!', W_TO },
	{ "force", '-', W_FORCE }, { "noprompt", '-', W_NOPROMPT },
	{ "cont_on_err", '-', W_CONT }, { "nonkey", '-', W_NONKEY }, { "debug", '-', W_DEBUG },
	{ "lip", '-', W_IGNORED }, { "no_lip", '-', W_IGNORED }, { "dumpAttrs", '-', W_IGNORED },
	{ "help", '-', W_HELP },
};

struct chosen {
	const struct scst_op *op;
	const char *value;
};

/* An error that ends the program, unless -cont_on_err. */
int scst_fatal(struct scst *a, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs(a->cont_on_err ? "Error: " : "\nFATAL: Received the following error:\n\n\t", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs(a->cont_on_err ? "\n" : "\n\n", stderr);
	a->failed = true;
	return a->cont_on_err ? 0 : 1;
}

/* An exact name, or the only one that begins so; operations and modifiers are one space. */
static bool find_option(const char *name, size_t len, const struct scst_op **op,
			const struct modifier **mod)
{
	const struct scst_op *o;
	unsigned int nr = 0;
	size_t i;

	*op = NULL;
	*mod = NULL;
	for (o = scst_ops; o->name; o++)
		if (!strncasecmp(o->name, name, len)) {
			*op = o;
			*mod = NULL;
			nr++;
			if (strlen(o->name) == len)
				return true;
		}
	for (i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (!strncasecmp(modifiers[i].name, name, len)) {
			*op = NULL;
			*mod = &modifiers[i];
			nr++;
			if (strlen(modifiers[i].name) == len)
				return true;
		}
	if (nr != 1)
		fprintf(stderr, nr ? "Option %.*s is ambiguous\n" : "Unknown option: %.*s\n",
			(int)len, name);
	return nr == 1;
}

static void set_modifier(struct scst *a, enum where where, const char *value)
{
	const char **const texts[] = {
		[W_DRIVER] = &a->driver, [W_TARGET] = &a->target, [W_GROUP] = &a->group,
		[W_DEVICE] = &a->device, [W_HANDLER] = &a->handler,
		[W_ATTRIBUTES] = &a->attributes, [W_DEV_GROUP] = &a->dev_group,
		[W_TGT_GROUP] = &a->tgt_group, [W_TO] = &a->to,
	};

	switch (where) {
	case W_FORCE:
		a->force = true;
		break;
	case W_NOPROMPT:
		a->noprompt = true;
		break;
	case W_CONT:
		a->cont_on_err = true;
		break;
	case W_NONKEY:
		a->nonkey = true;
		break;
	case W_DEBUG:
		a->debug = true;
		break;
	case W_IGNORED:
	case W_HELP:
		break;
	default:
		*texts[where] = value;
		break;
	}
}

static void print_help(void)
{
	const struct scst_op *o;
	size_t i;

	puts("Options of scstadmin, as skuaadm understands them:");
	for (o = scst_ops; o->name; o++)
		printf("  -%s%s\n", o->name, o->arg == '!' ? " NAME" : o->arg == '?' ? " [NAME]" : "");
	puts("With:");
	for (i = 0; i < ARRAY_SIZE(modifiers); i++)
		printf("  -%s%s\n", modifiers[i].name, modifiers[i].arg == '!' ? " VALUE" : "");
	puts("skuaadm itself can do more: \"skuaadm help\".");
}

/* One option and its value; false after an error. */
static bool parse_one(struct scst *a, char **argv, int *i, struct chosen *chosen, unsigned int *nr,
		      bool *help)
{
	const char *word = argv[*i] + 1 + (argv[*i][1] == '-'), *value = NULL;
	const struct scst_op *op;
	const struct modifier *mod;
	size_t len = strcspn(word, "=");
	char arg;

	if (!len || !find_option(word, len, &op, &mod))
		return false;
	arg = op ? op->arg : mod->arg;
	if (word[len] == '=')
		value = word + len + 1;
	else if (arg != '-' && argv[*i + 1] && argv[*i + 1][0] != '-')
		value = argv[++*i];
	if (arg == '!' && !value) {
		fprintf(stderr, "Option %s requires an argument\n", op ? op->name : mod->name);
		return false;
	}
	if (mod && mod->where == W_HELP)
		*help = true;
	if (mod)
		set_modifier(a, mod->where, value);
	else if (*nr < MAX_OPS)
		chosen[(*nr)++] = (struct chosen){ op, value };
	return true;
}

static bool confirmed(const struct scst *a, const struct scst_op *op)
{
	bool asks = op->asks || (op->run == scst_config && a->force);

	if (!asks || a->noprompt)
		return true;
	if (term_ask("This changes what initiators see, are you sure you want to go on"))
		return true;
	puts("Aborted.");
	return false;
}

static int run_all(struct scst *a, const struct chosen *chosen, unsigned int nr)
{
	unsigned int i, others = 0;
	int r = 0;

	for (i = 0; i < nr; i++)
		others += !chosen[i].op->query;
	if (!nr || others > 1) {
		fputs(nr ? "Only one operation at a time\n" : "No operation given; -help lists them\n",
		      stderr);
		return 1;
	}
	for (i = 0; i < nr && !r; i++) {
		if (!confirmed(a, chosen[i].op))
			return 0;
		r = chosen[i].op->run(a, chosen[i].op, chosen[i].value);
	}
	if (!r)
		puts("\nAll done.");
	return r;
}

/**
 * scst_main() - behave as scstadmin does
 * @argc: number of words
 * @argv: the words
 *
 * Return: exit code.
 */
int scst_main(int argc, char **argv)
{
	struct chosen chosen[MAX_OPS];
	struct scst a = { 0 };
	unsigned int nr = 0;
	bool help = false;
	int i, r;

	if (geteuid() && !getenv("SKUAADM_ROOT")) {
		fputs("This program must run as root.\n", stderr);
		return 255;
	}
	for (i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1]) {
			fprintf(stderr, "Unexpected word: %s\n", argv[i]);
			return 1;
		}
		if (!parse_one(&a, argv, &i, chosen, &nr, &help))
			return 1;
	}
	if (help) {
		print_help();
		return 0;
	}
	if (nr == 1 && chosen[0].op->run == scst_check) {
		a.tree.fd = -1;
		return scst_check(&a, chosen[0].op, chosen[0].value);
	}
	r = tree_open(&a.tree, NULL);
	if (!r)
		r = tree_lock(&a.tree);
	if (r) {
		fprintf(stderr, "%s: %s: Skua is not loaded\n", a.tree.root, strerror(-r));
		r = 2;
	} else {
		a.tree.show_writes = a.debug;
		r = run_all(&a, chosen, nr);
	}
	tree_close(&a.tree);
	return r;
}
