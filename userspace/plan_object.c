// SPDX-License-Identifier: GPL-2.0
/* Plans for objects: what the file has and the kernel has not, or has differently. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plan.h"
#include "state.h"

static char *below(const struct node *node, const char *file)
{
	char *dir = node_path(node), *path = xprintf("%s/%s", dir, file);

	free(dir);
	return path;
}

/* A value that a list of parameters can carry */
static bool fits_list(const char *value)
{
	return *value && !strpbrk(value, " \t=;\n");
}

/**
 * add_command() - the command that makes a device or a target
 * @creator: the kernel's handler or driver, which says what it takes
 * @command: its first word
 * @node: what to make
 * @keyed: only attributes worth saving, of a node of the kernel
 *
 * Return: for free().
 */
char *add_command(const struct node *creator, const char *command, const struct node *node,
		  bool keyed)
{
	const struct attr *attr;
	struct text t = { 0 };

	text_add(&t, "%s %s ", command, node->name);
	for_each_attr(attr, node)
		if (takes_param(creator, attr->name) && fits_list(attr->value) &&
		    (!keyed || attr->flags & A_KEY))
			text_add(&t, "%s=%s;", attr->name, attr->value);
	return text_take(&t);
}

static void creation(struct planner *p, const struct node *node, char *path, char *data,
		     char *undo)
{
	struct step *step = plan_step(p->plan, '+', node, path, data);
	const char *params = data;

	/* What follows the name is worth showing. */
	params += strcspn(params, " ");
	params += strspn(params, " ");
	params += strcspn(params, " ");
	params += strspn(params, " ");
	if (*params && (node->kind == N_DEVICE || node->kind == N_TARGET))
		step->new = xstrdup(params);
	step_undo(step, xstrdup(path), undo);
}

/* ---- devices ---------------------------------------------------------- */

/* The first attribute that can only be set by making the device anew */
static const struct attr *fixed_difference(const struct node *node, const struct node *present,
					   const struct node *handler)
{
	const struct attr *attr, *old;

	for_each_attr(attr, node) {
		old = attr_find(present, attr->name);
		if (old && !(old->flags & A_WRITE) && takes_param(handler, attr->name) &&
		    !same_value(attr->name, old->value, attr->value))
			return attr;
	}
	return NULL;
}

/* What the file does not say stays as it is. */
static void keep_attrs(struct node *node, const struct node *present)
{
	const struct attr *old;
	struct attr *attr;

	for_each_attr(old, present) {
		if (!(old->flags & A_KEY) || attr_find(node, old->name) ||
		    (!strcmp(old->name, "size") && attr_find(node, "size_mb")))
			continue;
		attr = attr_add(node, old->name, old->value);
		attr->pos = node->pos;
	}
}

/* The device group of a device that is made anew */
static void keep_member(struct planner *p, const struct node *dev, bool again)
{
	struct node *i;

	for (i = p->present; i; i = node_next(p->present, i)) {
		if (i->kind != N_DG_DEVICE || strcmp(i->name, dev->name) != 0)
			continue;
		if (again)
			creation(p, i, below(i->parent, "devices/mgmt"), xprintf("add %s", i->name),
				 xprintf("del %s", i->name));
		else
			remove_member(p, i);
	}
}

/* The LUNs of a device that is made anew, if the file does not have them itself */
static void keep_luns(struct planner *p, const struct node *dev, bool again)
{
	struct node *i, *next;
	struct step *step;

	for (i = p->present; i; i = next) {
		next = node_next(p->present, i);
		if (i->kind != N_LUN || strcmp(i->device, dev->name) != 0)
			continue;
		if (!again) {
			remove_lun(p, i);
			continue;
		}
		step = plan_step(p->plan, '+', i, below(i->parent, "luns/mgmt"),
				 lun_command("add", i, attr_value(i, "read_only") &&
					     !strcmp(attr_value(i, "read_only"), "1")));
		step->new = xstrdup(dev->name);
		step_undo(step, below(i->parent, "luns/mgmt"), lun_command("del", i, false));
	}
}

static void new_device(struct planner *p, const struct node *node, const struct node *handler)
{
	char *mgmt = below(handler, "mgmt");

	creation(p, node, mgmt, add_command(handler, "add_device", node, false),
		 xprintf("del_device %s", node->name));
	plan_attrs(p, node, NULL);
}

/* Deletes it, makes it anew, and puts it back where it was. */
static void device_anew(struct planner *p, struct node *node, struct node *present,
			const struct node *handler, const struct attr *why)
{
	char *label = node_label(node);

	if (!p->options->recreate) {
		plan_refuse(p, why ? why->pos : node->pos,
			    why ? "%s: %s is \"%s\" and is only set when the device is made; --recreate deletes it and makes it anew" :
			    "%s is a device of %s; --recreate deletes it and makes it anew", label,
			    why ? why->name : present->parent->name,
			    why ? attr_find(present, why->name)->value : "");
		free(label);
		return;
	}
	free(label);
	if (why)
		keep_attrs(node, present);
	keep_member(p, node, false);
	keep_luns(p, node, false);
	remove_device(p, present, false);
	p->plan->last->warning = xstrdup("made anew; a RAM disk loses its data");
	new_device(p, node, handler);
	keep_luns(p, node, true);
	keep_member(p, node, true);
	/* From here on it is there, and what it says is what the file says. */
	while (present->attrs)
		attr_remove(present, present->attrs);
}

static void refuse_device(struct planner *p, struct node *node, const struct node *handler)
{
	plan_refuse(p, node->pos, "DEVICE %s: a new %s device needs a filename", node->name,
		    handler->name);
	node->refused = true;
}

static void plan_device(struct planner *p, struct node *node, const struct node *handler)
{
	struct node *present = node_device(p->present, node->name);
	const struct attr *why;

	if (!present) {
		if (takes_param(handler, "filename") && !attr_find(node, "filename"))
			refuse_device(p, node, handler);
		else
			new_device(p, node, handler);
		return;
	}
	if (present->parent != handler) {
		device_anew(p, node, present, handler, NULL);
		return;
	}
	why = fixed_difference(node, present, handler);
	if (why)
		device_anew(p, node, present, handler, why);
	else
		plan_attrs(p, node, present);
}

/* The kernel module that has the handler or driver @name; NULL: none of ours */
const char *module_of(const char *name)
{
	static const char *const modules[][2] = {
		{ "vdisk_nullio", "skua_nullio" }, { "vdisk_ramdisk", "skua_ramdisk" },
		{ "vdisk_blockio", "skua_blockio" }, { "vdisk_fileio", "skua_fileio" },
		{ "dev_disk", "skua_disk" },
		{ "ib_srpt", "skua_srp" }, { "iscsi", "skua_iscsi" },
		{ "scst_local", "skua_local" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modules); i++)
		if (!strcmp(name, modules[i][0]))
			return modules[i][1];
	return NULL;
}

/* Whole handlers and drivers that are not there: of no matter if nothing is in them. */
static void absent(struct planner *p, const struct node *node)
{
	const char *what = node->kind == N_HANDLER ? "HANDLER" : "TARGET_DRIVER";
	const char *module = module_of(node->name);

	if (!strcmp(node->name, "copy_manager"))
		diag_warn(p->diags, node->pos,
			  "TARGET_DRIVER copy_manager is not there and not needed; passed over");
	else if (p->options->lenient && node->kind == N_DRIVER)
		diag_error(p->diags, node->pos, "TARGET_DRIVER %s is not there", node->name);
	else if (!node->first)
		diag_warn(p->diags, node->pos, "%s %s is not there; passed over", what, node->name);
	else if (module)
		plan_refuse(p, node->pos, "%s %s is not there: \"modprobe %s\" loads it", what,
			    node->name, module);
	else
		plan_refuse(p, node->pos, "%s %s is not there, and Skua has none of that name",
			    what, node->name);
}

void plan_devices(struct planner *p, const struct node *handler)
{
	struct node *present = present_of(p, handler), *dev;

	for_each_child(dev, handler)
		dev->refused = !present;
	if (!present) {
		absent(p, handler);
		return;
	}
	for_each_child(dev, handler)
		plan_device(p, dev, present);
	plan_attrs(p, handler, present);
}

/* ---- LUNs ------------------------------------------------------------- */

/* Numbers are written as the tree shows them. */
char *lun_command(const char *command, const struct node *lun, bool read_only)
{
	unsigned long long n;

	if (!parse_u64(lun->name, &n))
		n = 0;
	if (!lun->device || !strcmp(command, "del"))
		return xprintf("%s %llu", command, n);
	return xprintf("%s %s %llu%s", command, lun->device, n, read_only ? " read_only=1;" : " ");
}

static bool is_on(const struct node *node, const char *name)
{
	const char *value = node ? attr_value(node, name) : NULL;

	return value && same_value(name, value, "1");
}

/* Also that of the device, which the tree shows as the LUN's */
static bool is_read_only(struct planner *p, const struct node *lun)
{
	return is_on(lun, "read_only") || is_on(node_device(p->wanted, lun->device), "read_only") ||
	       is_on(node_device(p->present, lun->device), "read_only");
}

static bool device_known(struct planner *p, const struct node *lun)
{
	const struct node *wanted = node_device(p->wanted, lun->device);

	if (node_device(p->present, lun->device) || (wanted && !wanted->refused))
		return true;
	plan_refuse(p, lun->pos, "LUN %s: there is no device %s", lun->name, lun->device);
	return false;
}

static void plan_lun(struct planner *p, struct node *lun, struct node *holder)
{
	struct node *old = node_find(holder, N_LUN, lun->name);
	bool read_only = is_on(lun, "read_only"), was;
	struct step *step;
	bool said = attr_find(lun, "read_only") || p->options->prune;

	if (!device_known(p, lun))
		return;
	if (!old) {
		step = plan_step(p->plan, '+', lun, below(lun->parent, "luns/mgmt"),
				 lun_command("add", lun, read_only));
		step->new = xprintf("%s%s", lun->device, read_only ? " read_only" : "");
		step_undo(step, below(lun->parent, "luns/mgmt"), lun_command("del", lun, false));
		return;
	}
	was = is_on(old, "read_only");
	if (!strcmp(old->device, lun->device) && (!said || was == is_read_only(p, lun)))
		return;
	if (p->options->lenient && !p->options->prune) {
		diag_warn(p->diags, lun->pos, "LUN %s is %s and stays so; -force would change it",
			  lun->name, old->device);
		return;
	}
	if (!said)
		read_only = was;
	step = plan_step(p->plan, '~', lun, below(lun->parent, "luns/mgmt"),
			 lun_command("replace", lun, read_only));
	step->old = xprintf("%s%s", old->device, was ? " read_only" : "");
	step->new = xprintf("%s%s", lun->device, read_only ? " read_only" : "");
	step_undo(step, below(lun->parent, "luns/mgmt"), lun_command("replace", old, was));
}

static void plan_luns(struct planner *p, const struct node *node, struct node *present)
{
	struct node *child;

	for_each_child(child, node)
		if (child->kind == N_LUN)
			plan_lun(p, child, present);
}

/* ---- groups ----------------------------------------------------------- */

/* Where the kernel has a pattern, in whichever group of the target */
static struct node *find_pattern(const struct node *target, const char *name)
{
	struct node *grp, *ini;

	if (!target)
		return NULL;
	for_each_child(grp, target) {
		ini = grp->kind == N_GROUP ? node_find(grp, N_INITIATOR, name) : NULL;
		if (ini)
			return ini;
	}
	return NULL;
}

static void plan_initiator(struct planner *p, struct node *ini)
{
	struct node *group = ini->parent;
	struct node *old = find_pattern(present_of(p, group->parent), ini->name);
	struct step *step;

	if (old && !strcmp(old->parent->name, group->name))
		return;
	if (!old) {
		creation(p, ini, below(group, "initiators/mgmt"), xprintf("add %s", ini->name),
			 xprintf("del %s", ini->name));
		return;
	}
	step = plan_step(p->plan, '~', ini, below(old->parent, "initiators/mgmt"),
			 xprintf("move %s %s", ini->name, group->name));
	step->attr = xstrdup("group");
	step->old = xstrdup(old->parent->name);
	step->new = xstrdup(group->name);
	step_undo(step, below(group, "initiators/mgmt"),
		  xprintf("move %s %s", ini->name, old->parent->name));
}

static void plan_group(struct planner *p, struct node *group, struct node *target)
{
	struct node *present = node_find(target, N_GROUP, group->name), *child;

	if (!present)
		creation(p, group, below(group->parent, "ini_groups/mgmt"),
			 xprintf("create %s", group->name), xprintf("del %s", group->name));
	plan_luns(p, group, present);
	plan_attrs(p, group, present);
	for_each_child(child, group)
		if (child->kind == N_INITIATOR)
			plan_initiator(p, child);
}

/* ---- targets ---------------------------------------------------------- */

/* Sessions that a driver makes by itself: only those that are missing */
static void plan_sessions(struct planner *p, const struct node *node, const struct node *present)
{
	const struct attr *attr, *old;
	struct step *step;

	for (attr = attr_find(node, "session_name"); attr; attr = attr_next(attr)) {
		for (old = attr_find(present, "session_name"); old; old = attr_next(old))
			if (!strcmp(old->value, attr->value))
				break;
		if (old)
			continue;
		step = plan_step(p->plan, '+', node, below(node->parent, "mgmt"),
				 xprintf("add_session %s %s", node->name, attr->value));
		step->attr = xstrdup("session_name");
		step->new = xstrdup(attr->value);
		step_undo(step, below(node->parent, "mgmt"),
			  xprintf("del_session %s %s", node->name, attr->value));
	}
}

static void plan_target(struct planner *p, struct node *node, struct node *driver)
{
	struct node *present = node_find(driver, N_TARGET, node->name), *child;

	if (!present && (!driver->creates || attr_find(node, "HW_TARGET"))) {
		diag_warn(p->diags, node->pos,
			  "TARGET %s is not there (yet): its part of the file waits for it",
			  node->name);
		p->plan->waiting++;
		return;
	}
	if (!present)
		creation(p, node, below(node->parent, "mgmt"),
			 add_command(driver, "add_target", node, false),
			 xprintf("del_target %s", node->name));
	else if (takes_param(driver, "session_name"))
		plan_sessions(p, node, present);
	plan_dynamic(p, node, present);
	plan_attrs(p, node, present);
	for_each_child(child, node)
		if (child->kind == N_GROUP)
			plan_group(p, child, present);
	plan_luns(p, node, present);
}

void plan_driver(struct planner *p, const struct node *driver)
{
	struct node *present = present_of(p, driver), *target;

	if (!present) {
		absent(p, driver);
		return;
	}
	for_each_child(target, driver)
		plan_target(p, target, present);
	plan_dynamic(p, driver, present);
	plan_attrs(p, driver, present);
}

/* ---- device groups ---------------------------------------------------- */

static const struct node *any_target(const struct node *root, const char *name)
{
	const struct node *i;

	for_each_node(i, root)
		if (i->kind == N_TARGET && !strcmp(i->name, name))
			break;
	return i;
}

/* Is there a target of that name, or one when the drivers' part of the plan is done? */
static bool target_comes(struct planner *p, const char *name)
{
	const struct node *tgt = any_target(p->wanted, name), *driver;

	if (any_target(p->present, name))
		return true;
	driver = tgt ? present_of(p, tgt->parent) : NULL;
	return driver && driver->creates && !attr_find(tgt, "HW_TARGET");
}

/*
 * Whether it is a target here or a port of another node the kernel decides when it is
 * added. One that is not here yet would become the latter, and may have done so before.
 * Return: false if it is not the time for it.
 */
static bool settle_port(struct planner *p, const struct node *node, struct node **present)
{
	bool here = target_comes(p, node->name);

	if (attr_find(node, "rel_tgt_id"))
		return true;
	if (!here && any_target(p->wanted, node->name)) {
		diag_warn(p->diags, node->pos,
			  "TARGET %s is not there (yet): its target group waits for it", node->name);
		p->plan->waiting++;
		return false;
	}
	if (*present && (*present)->remote && here) {
		remove_member(p, *present);
		*present = NULL;
	}
	return true;
}

static void plan_member(struct planner *p, struct node *node, struct node *group)
{
	struct node *present = node_find(group, node->kind, node->name);
	const char *file = node->kind == N_DG_DEVICE ? "devices/mgmt" : "mgmt";

	if (node->kind == N_TG_TARGET && !settle_port(p, node, &present))
		return;
	if (!present)
		creation(p, node, below(node->parent, file), xprintf("add %s", node->name),
			 xprintf("del %s", node->name));
	plan_attrs(p, node, present);
}

static void plan_target_group(struct planner *p, struct node *node, struct node *group)
{
	struct node *present = node_find(group, N_TARGET_GROUP, node->name), *child;

	if (!present)
		creation(p, node, below(node->parent, "target_groups/mgmt"),
			 xprintf("add %s", node->name), xprintf("del %s", node->name));
	plan_attrs(p, node, present);
	for_each_child(child, node)
		plan_member(p, child, present);
}

void plan_device_group(struct planner *p, const struct node *group)
{
	struct node *present = present_of(p, group), *child;

	if (!present)
		creation(p, group, xstrdup("device_groups/mgmt"), xprintf("create %s", group->name),
			 xprintf("del %s", group->name));
	for_each_child(child, group)
		if (child->kind == N_DG_DEVICE)
			plan_member(p, child, present);
	for_each_child(child, group)
		if (child->kind == N_TARGET_GROUP)
			plan_target_group(p, child, present);
	plan_attrs(p, group, present);
}
