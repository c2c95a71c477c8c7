// SPDX-License-Identifier: GPL-2.0
/* Plans for attributes. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plan.h"
#include "state.h"

/*
 * What is written for a value: those of devices and targets without a newline, all
 * others with one, as scstadmin does; an empty value is a newline.
 */
char *attr_data(const struct node *node, const char *value)
{
	bool bare = (node->kind == N_DEVICE || node->kind == N_TARGET) && *value;

	return xprintf("%s%s", value, bare ? "" : "\n");
}

static char *attr_path(const struct node *node, const char *name)
{
	char *dir = node_path(node), *path;

	if (node->kind == N_ROOT)
		path = xstrdup(name);
	else
		path = xprintf("%s/%s", dir, name);
	free(dir);
	return path;
}

/* Attributes that a plan treats on its own */
static bool is_special(const struct node *node, const char *name)
{
	switch (node->kind) {
	case N_TARGET:
		return !strcmp(name, "HW_TARGET") || !strcmp(name, "hw_target") ||
		       !strcmp(name, "enabled") || !strcmp(name, "session_name");
	case N_DRIVER:
		return !strcmp(name, "enabled");
	default:
		return false;
	}
}

/* A path may only be changed while the medium is closed. */
static void change_filename(struct planner *p, const struct node *node, const struct attr *old,
			    const char *value)
{
	struct step *step;

	step = plan_step(p->plan, '~', node, attr_path(node, "active"), xstrdup("0"));
	step->attr = xstrdup("active");
	step->old = xstrdup("1");
	step->new = xstrdup("0");
	step->warning = xstrdup("initiators find it not ready for a moment");
	step_undo(step, attr_path(node, "active"), xstrdup("1"));
	step = plan_step(p->plan, '~', node, attr_path(node, "filename"), xstrdup(value));
	step->attr = xstrdup("filename");
	step->old = xstrdup(old->value);
	step->new = xstrdup(value);
	step_undo(step, attr_path(node, "filename"), xstrdup(old->value));
	step = plan_step(p->plan, '~', node, attr_path(node, "active"), xstrdup("1"));
	step->attr = xstrdup("active");
	step->old = xstrdup("0");
	step->new = xstrdup("1");
	step_undo(step, attr_path(node, "active"), xstrdup("0"));
}

/**
 * plan_change() - a step that writes an attribute
 * @p: the planner
 * @node: the object
 * @old: what the kernel has; NULL if the object is new
 * @name: the attribute
 * @value: its new value
 * @pos: where it stands
 */
void plan_change(struct planner *p, const struct node *node, const struct attr *old,
		 const char *name, const char *value, struct pos pos)
{
	struct step *step = plan_step(p->plan, '~', node, attr_path(node, name),
				      attr_data(node, value));

	step->attr = xstrdup(name);
	step->new = xstrdup(value);
	step->pos = pos;
	step->optional = !old;
	/* A file may tell the size of a medium, which has its own. */
	step->soft = !old && node->kind == N_DEVICE && attr_find(node, "filename") &&
		     (!strcmp(name, "size") || !strcmp(name, "size_mb"));
	if (old) {
		step->old = xstrdup(old->value);
		step_undo(step, attr_path(node, name), attr_data(node, old->value));
	}
}

static void change(struct planner *p, const struct node *node, const struct node *present,
		   const struct attr *attr)
{
	const struct attr *old = present ? attr_find(present, attr->name) : NULL;
	const char *active;
	char *label;

	if (!present) {
		plan_change(p, node, NULL, attr->name, attr->value, attr->pos);
		return;
	}
	if (old && (old->flags & A_READ) && same_value(attr->name, old->value, attr->value))
		return;
	active = attr_value(present, "active");
	if (node->kind == N_DEVICE && !strcmp(attr->name, "filename") && old &&
	    active && strcmp(active, "0") && !attr_find(node, "active")) {
		change_filename(p, node, old, attr->value);
		return;
	}
	label = node_label(node);
	if (!old)
		diag_warn(p->diags, attr->pos, "%s has no attribute %s here; passed over", label,
			  attr->name);
	else if (!(old->flags & A_WRITE))
		diag_warn(p->diags, attr->pos, "%s: %s is \"%s\" and cannot be changed; passed over",
			  label, attr->name, old->value);
	else if (!(old->flags & A_READ))
		diag_warn(p->diags, attr->pos, "%s: %s is a command, no value; passed over", label,
			  attr->name);
	else
		plan_change(p, node, old, attr->name, attr->value, attr->pos);
	free(label);
}

/* Was it given when the object was created? */
static bool was_created_with(const struct node *node, const struct node *present,
			     const struct node *creator, const char *name)
{
	const char *value = attr_value(node, name);

	return !present && takes_param(creator, name) && value && !strpbrk(value, " \t=;\n") &&
	       *value;
}

/* The lists of what does are the kernel's driver's. */
static bool comes_by_command(struct planner *p, const struct node *node, const char *name)
{
	const struct node *driver;
	char *own;
	bool yes;

	if (node->kind != N_DRIVER && node->kind != N_TARGET)
		return false;
	driver = present_of(p, node->kind == N_DRIVER ? node : node->parent);
	own = xprintf("%s%s", node->kind == N_DRIVER ? "" : "@", name);
	yes = driver && strings_have(&driver->dynamic, own);
	free(own);
	return yes;
}

/**
 * plan_attrs() - the attributes of an object, but for those that let initiators in
 * @p: the planner
 * @node: of the file
 * @present: of the kernel; NULL if the object has just been created
 */
void plan_attrs(struct planner *p, const struct node *node, const struct node *present)
{
	const struct node *creator = node->parent ? present_of(p, node->parent) : NULL;
	const struct attr *attr;

	for_each_attr(attr, node)
		if (!is_special(node, attr->name) && !comes_by_command(p, node, attr->name) &&
		    !was_created_with(node, present, creator, attr->name))
			change(p, node, present, attr);
}

/* ---- enabled ---------------------------------------------------------- */

static void enable(struct planner *p, const struct node *node, const struct attr *attr)
{
	const struct node *present = present_of(p, node), *creator = present_of(p, node->parent);
	const struct attr *old = present ? attr_find(present, "enabled") : NULL;
	const char *id = present ? attr_value(present, "rel_tgt_id") : NULL;
	struct step *step;

	if (!present && !(node->kind == N_TARGET && creator && creator->creates))
		return;
	if (present && !old) {
		if (!same_value("enabled", attr->value, "1"))
			diag_warn(p->diags, attr->pos, "%s cannot be disabled; passed over",
				  node->name);
		return;
	}
	if (old && same_value("enabled", old->value, attr->value))
		return;
	if (!old && same_value("enabled", attr->value, "0"))
		return;
	plan_change(p, node, old, "enabled", attr->value, attr->pos);
	step = p->plan->last;
	if (same_value("enabled", attr->value, "0"))
		step->warning = xstrdup("closes its sessions");
	/* Enabling gives a number to a target that has none. */
	if (id && !strcmp(id, "0") && !attr_find(node, "rel_tgt_id"))
		step_undo(step, attr_path(node, "rel_tgt_id"), xstrdup("0"));
}

/* Targets, or drivers: last of all, what opens the door */
void plan_enabled(struct planner *p, enum kind kind)
{
	const struct attr *attr;
	const struct node *i;

	for_each_node(i, p->wanted) {
		if (i->kind != kind)
			continue;
		attr = attr_find(i, "enabled");
		if (attr)
			enable(p, i, attr);
	}
}

/* ---- attributes with several values, by commands ---------------------- */

static char *dynamic_command(const struct node *node, bool add, const char *name,
			     const char *value)
{
	if (node->kind == N_DRIVER)
		return xprintf("%s_attribute %s %s", add ? "add" : "del", name, value);
	return xprintf("%s_target_attribute %s %s %s", add ? "add" : "del", node->name, name,
		       value);
}

static char *driver_mgmt(const struct node *node)
{
	const struct node *driver = node->kind == N_DRIVER ? node : node->parent;

	return xprintf("targets/%s/mgmt", driver->name);
}

static void dynamic_step(struct planner *p, const struct node *node, bool add,
			 const struct attr *attr)
{
	struct step *step = plan_step(p->plan, add ? '+' : '-', node, driver_mgmt(node),
				      dynamic_command(node, add, attr->name, attr->value));

	step->attr = xstrdup(attr->name);
	*(add ? &step->new : &step->old) = xstrdup(attr->value);
	if (attr->pos.line)
		step->pos = attr->pos;
	step_undo(step, driver_mgmt(node),
		  dynamic_command(node, !add, attr->name, attr->value));
}

/* Is this another secret of the same user? */
static bool same_user(const struct attr *a, const struct attr *b)
{
	size_t len = strcspn(a->value, " ");

	return is_secret(a->name) && len == strcspn(b->value, " ") &&
	       !strncmp(a->value, b->value, len);
}

/* Its value is what the file says, or gives way to one that is. */
static bool gives_way(const struct node *node, const struct attr *old, bool prune)
{
	const struct attr *attr;
	bool other = false;

	for (attr = attr_find(node, old->name); attr; attr = attr_next(attr)) {
		if (!strcmp(attr->value, old->value))
			return false;
		if (same_user(attr, old) || !strcmp(attr->name, "OutgoingUser"))
			other = true;
	}
	return other || prune;
}

static bool has_value(const struct node *node, const struct attr *attr)
{
	const struct attr *i;

	if (!node)
		return false;
	for (i = attr_find(node, attr->name); i; i = attr_next(i))
		if (!strcmp(i->value, attr->value))
			return true;
	return false;
}

/* The last one first: taking it back gives each the place that it had. */
static void remove_values(struct planner *p, const struct node *node, const struct attr *attr)
{
	if (!attr)
		return;
	remove_values(p, node, attr->next);
	if (attr->flags & A_DYNAMIC && gives_way(node, attr, p->options->prune))
		dynamic_step(p, node, false, attr);
}

/**
 * plan_dynamic() - attributes that come and go by commands to the driver
 * @p: the planner
 * @node: driver or target of the file
 * @present: of the kernel; NULL if it has just been created
 */
void plan_dynamic(struct planner *p, const struct node *node, const struct node *present)
{
	const struct attr *attr;

	if (present)
		remove_values(p, node, present->attrs);
	for_each_attr(attr, node)
		if (comes_by_command(p, node, attr->name) && !has_value(present, attr))
			dynamic_step(p, node, true, attr);
}
