/* SPDX-License-Identifier: GPL-2.0 */
/* The commands: one function each, which gets its own name as argv[0]. */
#ifndef SKUAADM_CMD_H
#define SKUAADM_CMD_H

#include "node.h"
#include "tree.h"

/* What skuaadm exits with; the man page has the same list. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_FILE = 3,		/* the configuration is wrong or cannot be read */
	EXIT_ROLLED_BACK = 4,	/* a step failed and all is as it was before */
	EXIT_HALF_DONE = 5,	/* a step failed, and so did taking others back */
	EXIT_NOT_ASKED = 6,	/* not confirmed */
	EXIT_NO_TREE = 7,	/* the core is not loaded */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
	const char *help;	/* usage, from behind the command's name */
	bool options;		/* has some of its own */
};

extern const struct command commands[];

const struct command *find_command(const char *name);
int run_command(const struct command *c, int argc, char **argv);
int usage(const char *command, const char *format, ...) PRINTF(2, 3);
void complain(const char *format, ...) PRINTF(1, 2);
const char *default_config(void);
struct node *load_config(const char *path, struct diags *diags, int *status);

int open_tree(struct tree *tree, bool change);

int cmd_apply(int argc, char **argv);
int cmd_save(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_add(int argc, char **argv);
int cmd_del(int argc, char **argv);
int cmd_enable(int argc, char **argv);
int cmd_disable(int argc, char **argv);
int cmd_resize(int argc, char **argv);
int cmd_sessions(int argc, char **argv);
int cmd_close_session(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif
