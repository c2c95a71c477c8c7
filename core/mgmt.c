// SPDX-License-Identifier: GPL-2.0
/*
 * The mgmt files: each is a table of commands. One write is one command; what was
 * wrong with it is one line in the log.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "sysfs.h"

#define MAX_ARGS	2

/* What may follow a command's fixed words. */
enum tail { TAIL_NONE, TAIL_IGNORED, TAIL_PARAMS };

struct command {
	const char *name;
	u8 nr_args;
	u8 tail;
	int (*run)(void *obj, char **args, char *tail);
};

/**
 * struct skua_mgmt - one kind of mgmt file
 * @kind: what its object is, for the log
 * @name: the object's name, or NULL if it has none
 * @help: what a read gives; lines that tools look for begin at a line's start
 * @params: optional: the line of parameters, into @buf; length
 * @unknown: optional: commands that the table has not, -ENOIOCTLCMD if not known
 * @commands: the table, up to one without name
 */
struct skua_mgmt {
	const char *kind;
	const char *(*name)(void *obj);
	const char *help;
	ssize_t (*params)(void *obj, char *buf);
	int (*unknown)(void *obj, const char *word, char *tail);
	const struct command *commands;
};

/* ---- results ---------------------------------------------------------- */

static atomic_t nr_pending;
static int last_result;

/**
 * skua_mgmt_pending() - count operations that go on after their write returned
 * @delta: +1 before the write returns -EAGAIN, -1 after skua_mgmt_result()
 *
 * Context: any.
 */
void skua_mgmt_pending(int delta)
{
	atomic_add(delta, &nr_pending);
}

/**
 * skua_mgmt_result() - note how a state-changing operation ended
 * @error: 0 or -errno
 *
 * Context: any.
 */
void skua_mgmt_result(int error)
{
	WRITE_ONCE(last_result, error);
}

/* Of last_sysfs_mgmt_res: -EAGAIN while something is pending. */
int skua_mgmt_last(int *error)
{
	if (atomic_read(&nr_pending))
		return -EAGAIN;
	*error = READ_ONCE(last_result);
	return 0;
}

/**
 * skua_mgmt_done() - end a store of those that last_sysfs_mgmt_res tells about
 * @error: 0, -EAGAIN if it goes on and is counted as pending, or another -errno
 * @len: bytes written
 *
 * Return: for the store function to return.
 */
ssize_t skua_mgmt_done(int error, size_t len)
{
	if (error != -EAGAIN)
		skua_mgmt_result(error);
	return error ?: len;
}

/* ---- dispatch --------------------------------------------------------- */

static const struct skua_mgmt *mgmt_of(const struct skua_attr *attr)
{
	return (const struct skua_mgmt *)attr->arg;
}

__printf(3, 4)
static int refuse(const struct skua_mgmt *m, void *obj, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	pr_err("skua: %s%s%s: %pV\n", m->kind, m->name ? " " : "", m->name ? m->name(obj) : "",
	       &vaf);
	va_end(args);
	return -EINVAL;
}

static int run_command(const struct skua_mgmt *m, void *obj, const struct command *c, char *text)
{
	char *args[MAX_ARGS], *extra;
	unsigned int i;

	for (i = 0; i < c->nr_args; i++) {
		args[i] = skua_next_word(&text);
		if (!args[i])
			return refuse(m, obj, "\"%s\" needs %u words, got %u", c->name, c->nr_args,
				      i);
	}
	if (c->tail == TAIL_NONE) {
		extra = skua_next_word(&text);
		if (extra)
			return refuse(m, obj, "\"%s\": one word too many: \"%s\"", c->name, extra);
	}
	return c->run(obj, args, skua_skip_blanks(text));
}

static int run_text(const struct skua_mgmt *m, void *obj, char *text)
{
	char *word = skua_next_word(&text);
	const struct command *c;
	int r = -ENOIOCTLCMD;

	if (!word)
		return refuse(m, obj, "no command");
	for (c = m->commands; c->name; c++)
		if (!strcasecmp(word, c->name))
			return run_command(m, obj, c, text);
	if (m->unknown)
		r = m->unknown(obj, word, skua_skip_blanks(text));
	return r == -ENOIOCTLCMD ? refuse(m, obj, "no command \"%s\"", word) : r;
}

ssize_t skua_mgmt_store(void *obj, const struct skua_attr *attr, const char *buf, size_t len)
{
	char *text = kmemdup_nul(buf, len, GFP_KERNEL);
	ssize_t r;

	if (!text)
		return -ENOMEM;
	r = skua_mgmt_done(run_text(mgmt_of(attr), obj, text), len);
	kfree(text);
	return r;
}

ssize_t skua_mgmt_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct skua_mgmt *m = mgmt_of(attr);
	ssize_t len = scnprintf(buf, PAGE_SIZE, "%s", m->help);

	if (m->params)
		len += m->params(obj, buf + len);
	return len;
}

/**
 * skua_log_param() - say what was wrong with a list of parameters
 * @where: what the parameters are for
 * @name: as skua_next_param() left it
 * @value: as skua_next_param() left it
 */
void skua_log_param(const char *where, const char *name, const char *value)
{
	if (!name)
		pr_err("skua: %s: a parameter is blank\n", where);
	else
		pr_err("skua: %s: parameter \"%s\" %s\n", where, name,
		       value ? "has more than one value" : "has no value");
}
EXPORT_SYMBOL_GPL(skua_log_param);

EXPORT_SYMBOL_GPL(skua_next_word);	/* of words.c, which is pure */
EXPORT_SYMBOL_GPL(skua_next_param);

static int check_name(const char *what, const char *name, size_t size)
{
	if (skua_name_ok(name, size))
		return 0;
	pr_err("skua: \"%s\" is no name for a %s\n", name, what);
	return -EINVAL;
}

/* ---- handlers/H/mgmt -------------------------------------------------- */

static const char *backend_name(void *obj)
{
	return ((struct skua_backend *)obj)->name;
}

static int add_device(void *obj, char **args, char *tail)
{
	return check_name("device", args[0], SKUA_MAX_DEV_NAME) ?:
	       skua_dev_create(obj, args[0], tail);
}

static int del_device(void *obj, char **args, char *tail)
{
	return skua_dev_delete(obj, args[0]);
}

/* Of a pass-through handler tools know the first line. */
static ssize_t handler_help(void *obj, char *buf)
{
	const struct skua_backend *be = obj;
	ssize_t len;

	if (be->exec_cdb)
		return sprintf(buf, "Usage: echo \"add_device H:C:I:L\" >mgmt\n"
				    "       echo \"del_device H:C:I:L\" >mgmt\n");
	len = sprintf(buf, "Usage: echo \"add_device DEVICE [NAME=VALUE;...]\" >mgmt\n"
			   "       echo \"del_device DEVICE\" >mgmt\n\n"
			   "The following parameters available: ");
	len += skua_params_list(be->params, buf + len);
	return len + sprintf(buf + len, "\n");
}

static const struct command handler_commands[] = {
	{ "add_device", 1, TAIL_PARAMS, add_device },
	{ "del_device", 1, TAIL_NONE, del_device },
	{ }
};

const struct skua_mgmt skua_mgmt_handler = {
	.kind = "handler",
	.name = backend_name,
	.help = "",
	.params = handler_help,
	.commands = handler_commands,
};

/* ---- targets/DRV/mgmt ------------------------------------------------- */

static const char *driver_name(void *obj)
{
	return ((struct skua_driver *)obj)->ops->name;
}

static int add_target(void *obj, char **args, char *tail)
{
	return check_name("target", args[0], SKUA_MAX_NAME) ?:
	       skua_tgt_cmd_add(obj, args[0], tail);
}

static int del_target(void *obj, char **args, char *tail)
{
	return skua_tgt_cmd_del(obj, args[0]);
}

static int driver_command(void *obj, const char *word, char *tail)
{
	const struct skua_transport *ops = ((struct skua_driver *)obj)->ops;

	return ops->drv_cmd ? ops->drv_cmd(word, tail) : -ENOIOCTLCMD;
}

static ssize_t driver_params(void *obj, char *buf)
{
	const struct skua_transport *ops = ((struct skua_driver *)obj)->ops;

	ssize_t len = 0;

	if (ops->tgt_params)
		len = sprintf(buf, "The following parameters available: %s\n", ops->tgt_params);
	if (ops->drv_help)
		len += sprintf(buf + len, "%s", ops->drv_help);
	return len;
}

static const struct command driver_commands[] = {
	{ "add_target", 1, TAIL_PARAMS, add_target },
	{ "del_target", 1, TAIL_NONE, del_target },
	{ }
};

const struct skua_mgmt skua_mgmt_driver = {
	.kind = "driver",
	.name = driver_name,
	.help = "Usage: echo \"add_target TARGET [NAME=VALUE;...]\" >mgmt\n"
		"       echo \"del_target TARGET\" >mgmt\n\n",
	.params = driver_params,
	.unknown = driver_command,
	.commands = driver_commands,
};

/* ---- luns/mgmt -------------------------------------------------------- */

static const char *group_name(void *obj)
{
	const struct skua_group *grp = obj;

	return grp->own ? grp->tgt->name : grp->name;
}

static int parse_lun(const char *word, u16 *lun)
{
	u64 v;

	if (skua_parse_u64(word, &v) || v > SKUA_MAX_LUN) {
		pr_err("skua: \"%s\" is no LUN\n", word);
		return -EINVAL;
	}
	*lun = v;
	return 0;
}

static int parse_read_only(char *params, bool *read_only)
{
	char *name, *value;
	int r;

	*read_only = false;
	while ((r = skua_next_param(&params, &name, &value)) > 0) {
		if (strcasecmp(name, "read_only")) {
			pr_err("skua: a LUN has no parameter \"%s\"\n", name);
			return -EINVAL;
		}
		if (skua_parse_bool(value, read_only)) {
			pr_err("skua: bad value \"%s\" of read_only\n", value);
			return -EINVAL;
		}
	}
	if (r)
		skua_log_param("LUN", name, value);
	return r;
}

static int parse_map(char **args, char *tail, u16 *lun, bool *read_only)
{
	return parse_lun(args[1], lun) ?: parse_read_only(tail, read_only);
}

static int lun_add(void *obj, char **args, char *tail)
{
	bool read_only;
	u16 lun;

	return parse_map(args, tail, &lun, &read_only) ?:
	       skua_map_add(obj, args[0], lun, read_only);
}

static int lun_replace(void *obj, char **args, char *tail)
{
	bool read_only;
	u16 lun;

	return parse_map(args, tail, &lun, &read_only) ?:
	       skua_map_replace(obj, args[0], lun, read_only, true);
}

static int lun_replace_no_ua(void *obj, char **args, char *tail)
{
	bool read_only;
	u16 lun;

	return parse_map(args, tail, &lun, &read_only) ?:
	       skua_map_replace(obj, args[0], lun, read_only, false);
}

static int lun_del(void *obj, char **args, char *tail)
{
	u16 lun;

	return parse_lun(args[0], &lun) ?: skua_map_del(obj, lun);
}

static int lun_clear(void *obj, char **args, char *tail)
{
	skua_map_clear(obj);
	return 0;
}

static const struct command lun_commands[] = {
	{ "add", 2, TAIL_PARAMS, lun_add },
	{ "del", 1, TAIL_NONE, lun_del },
	{ "replace", 2, TAIL_PARAMS, lun_replace },
	{ "replace_no_ua", 2, TAIL_PARAMS, lun_replace_no_ua },
	{ "clear", 0, TAIL_NONE, lun_clear },
	{ }
};

const struct skua_mgmt skua_mgmt_luns = {
	.kind = "luns of",
	.name = group_name,
	.help = "Usage: echo \"add DEVICE LUN [read_only=0|1]\" >mgmt\n"
		"       echo \"replace DEVICE LUN [read_only=0|1]\" >mgmt\n"
		"       echo \"replace_no_ua DEVICE LUN [read_only=0|1]\" >mgmt\n"
		"       echo \"del LUN\" >mgmt\n"
		"       echo \"clear\" >mgmt\n\n"
		"The following parameters available: read_only\n",
	.commands = lun_commands,
};

/* ---- ini_groups/mgmt -------------------------------------------------- */

static const char *target_name(void *obj)
{
	return ((struct skua_tgt *)obj)->name;
}

static int group_create(void *obj, char **args, char *tail)
{
	return check_name("group", args[0], SKUA_MAX_NAME) ?: skua_group_create(obj, args[0]);
}

static int group_del(void *obj, char **args, char *tail)
{
	return skua_group_delete(obj, args[0]);
}

static const struct command groups_commands[] = {
	{ "create", 1, TAIL_IGNORED, group_create },
	{ "del", 1, TAIL_IGNORED, group_del },
	{ }
};

const struct skua_mgmt skua_mgmt_groups = {
	.kind = "groups of",
	.name = target_name,
	.help = "Usage: echo \"create GROUP\" >mgmt\n"
		"       echo \"del GROUP\" >mgmt\n",
	.commands = groups_commands,
};

/* ---- initiators/mgmt -------------------------------------------------- */

static int initiator_add(void *obj, char **args, char *tail)
{
	return check_name("initiator", args[0], SKUA_MAX_NAME) ?: skua_pattern_add(obj, args[0]);
}

static int initiator_del(void *obj, char **args, char *tail)
{
	return skua_pattern_del(obj, args[0]);
}

static int initiator_move(void *obj, char **args, char *tail)
{
	return skua_pattern_move(obj, args[0], args[1]);
}

static int initiator_clear(void *obj, char **args, char *tail)
{
	return skua_pattern_clear(obj);
}

static const struct command initiator_commands[] = {
	{ "add", 1, TAIL_IGNORED, initiator_add },
	{ "del", 1, TAIL_IGNORED, initiator_del },
	{ "move", 2, TAIL_IGNORED, initiator_move },
	{ "clear", 0, TAIL_IGNORED, initiator_clear },
	{ }
};

const struct skua_mgmt skua_mgmt_initiators = {
	.kind = "initiators of",
	.name = group_name,
	.help = "Usage: echo \"add PATTERN\" >mgmt\n"
		"       echo \"del PATTERN\" >mgmt\n"
		"       echo \"move PATTERN GROUP\" >mgmt\n"
		"       echo \"clear\" >mgmt\n\n"
		"A pattern is an initiator's name; * is any string, ? any one character, a\n"
		"leading ! turns it around.\n",
	.commands = initiator_commands,
};

/* ---- device_groups/mgmt ----------------------------------------------- */

static int device_group_refuse(void *obj, char **args, char *tail)
{
	pr_err("skua: device group \"%s\": device groups (ALUA) are not supported\n", args[0]);
	return -EOPNOTSUPP;
}

static int device_group_unknown(void *obj, char **args, char *tail)
{
	pr_err("skua: no device group \"%s\"\n", args[0]);
	return -EINVAL;
}

static const struct command device_group_commands[] = {
	{ "create", 1, TAIL_IGNORED, device_group_refuse },
	{ "add", 1, TAIL_IGNORED, device_group_refuse },
	{ "del", 1, TAIL_IGNORED, device_group_unknown },
	{ }
};

const struct skua_mgmt skua_mgmt_device_groups = {
	.kind = "device_groups",
	.help = "Device groups (ALUA) are not supported by this version: create fails.\n",
	.commands = device_group_commands,
};
