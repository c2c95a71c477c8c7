// SPDX-License-Identifier: GPL-2.0
/* Plans for removal. Every step knows how to make again what it takes away. */
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

/* The attributes that a newly made object does not have by itself */
static void undo_attrs(struct step *step, const struct node *node, const struct node *creator)
{
	const struct attr *attr;

	for_each_attr(attr, node) {
		if (!(attr->flags & A_KEY) || !(attr->flags & A_WRITE) ||
		    attr->flags & A_DYNAMIC || !strcmp(attr->name, "session_name") ||
		    (takes_param(creator, attr->name) && !strpbrk(attr->value, " \t=;")))
			continue;
		step_undo(step, below(node, attr->name), attr_data(node, attr->value));
	}
}

static struct step *removal(struct planner *p, const struct node *node, const char *file,
			    char *data, char *undo)
{
	struct step *step = plan_step(p->plan, '-', node, below(node->parent, file), data);

	step->pos.line = 0;
	step_undo(step, below(node->parent, file), undo);
	return step;
}

void remove_lun(struct planner *p, struct node *lun)
{
	const char *ro = attr_value(lun, "read_only");
	const struct node *dev = node_device(p->present, lun->device);
	const char *dev_ro = dev ? attr_value(dev, "read_only") : NULL;
	bool read_only = ro && !strcmp(ro, "1") && !(dev_ro && !strcmp(dev_ro, "1"));

	removal(p, lun, "luns/mgmt", lun_command("del", lun, false),
		lun_command("add", lun, read_only))->old = xstrdup(lun->device);
}

void remove_initiator(struct planner *p, struct node *ini)
{
	removal(p, ini, "initiators/mgmt", xprintf("del %s", ini->name),
		xprintf("add %s", ini->name));
}

/* Last made first, so that taking it back makes them in the old order. */
static void remove_kind(struct planner *p, const struct node *node, enum kind kind,
			void (*remove_one)(struct planner *p, struct node *child))
{
	struct node **list, *child;
	size_t nr = 0;

	for_each_child(child, node)
		nr += child->kind == kind;
	list = xcalloc(nr, sizeof(*list));
	nr = 0;
	for_each_child(child, node)
		if (child->kind == kind)
			list[nr++] = child;
	while (nr)
		remove_one(p, list[--nr]);
	free(list);
}

void remove_group(struct planner *p, struct node *group)
{
	remove_kind(p, group, N_INITIATOR, remove_initiator);
	remove_kind(p, group, N_LUN, remove_lun);
	undo_attrs(removal(p, group, "ini_groups/mgmt", xprintf("del %s", group->name),
			   xprintf("create %s", group->name)), group, NULL);
}

/* @users: its LUNs and its device group as well, from which the kernel takes it silently */
void remove_device(struct planner *p, struct node *dev, bool users)
{
	struct node *i, *next;
	struct step *step;

	for (i = users ? p->present : NULL; i; i = next) {
		next = node_next(p->present, i);
		if (i->kind == N_LUN && !strcmp(i->device, dev->name))
			remove_lun(p, i);
		else if (i->kind == N_DG_DEVICE && !strcmp(i->name, dev->name))
			remove_member(p, i);
		else
			continue;
		node_remove(i);
		node_free(i);
	}
	step = plan_step(p->plan, '-', dev, below(dev->parent, "mgmt"),
			 xprintf("del_device %s", dev->name));
	step->pos.line = 0;
	step_undo(step, below(dev->parent, "mgmt"), add_command(dev->parent, "add_device", dev, true));
	undo_attrs(step, dev, dev->parent);
}

static void undo_dynamic(struct step *step, const struct node *tgt)
{
	const struct attr *attr;

	for_each_attr(attr, tgt)
		if (attr->flags & A_DYNAMIC)
			step_undo(step, below(tgt->parent, "mgmt"),
				  xprintf("add_target_attribute %s %s %s", tgt->name, attr->name,
					  attr->value));
}

static void disable(struct planner *p, struct node *node)
{
	struct attr *old = attr_find(node, "enabled");

	if (!old || strcmp(old->value, "1") != 0)
		return;
	plan_change(p, node, old, "enabled", "0", (struct pos){ 0, 0 });
	p->plan->last->warning = xstrdup("closes its sessions");
}

/* A deleted target leaves its target groups. */
static void remove_ports(struct planner *p, const struct node *tgt)
{
	struct node *i, *next;

	for (i = p->present; i; i = next) {
		next = node_next(p->present, i);
		if (i->kind != N_TG_TARGET || i->remote || strcmp(i->name, tgt->name) != 0)
			continue;
		remove_member(p, i);
		node_remove(i);
		node_free(i);
	}
}

/* One that is hardware loses what it has and is switched off. */
void remove_target(struct planner *p, struct node *tgt)
{
	struct step *step;

	disable(p, tgt);
	remove_kind(p, tgt, N_GROUP, remove_group);
	remove_kind(p, tgt, N_LUN, remove_lun);
	if (!tgt->parent->creates || attr_find(tgt, "hw_target"))
		return;
	remove_ports(p, tgt);
	step = removal(p, tgt, "mgmt", xprintf("del_target %s", tgt->name),
		       add_command(tgt->parent, "add_target", tgt, true));
	undo_attrs(step, tgt, tgt->parent);
	undo_dynamic(step, tgt);
}

void remove_member(struct planner *p, struct node *member)
{
	const char *file = member->kind == N_DG_DEVICE ? "devices/mgmt" : "mgmt";

	undo_attrs(removal(p, member, file, xprintf("del %s", member->name),
			   xprintf("add %s", member->name)), member, NULL);
}

void remove_target_group(struct planner *p, struct node *group)
{
	remove_kind(p, group, N_TG_TARGET, remove_member);
	undo_attrs(removal(p, group, "target_groups/mgmt", xprintf("del %s", group->name),
			   xprintf("add %s", group->name)), group, NULL);
}

void remove_device_group(struct planner *p, struct node *group)
{
	struct step *step;

	remove_kind(p, group, N_TARGET_GROUP, remove_target_group);
	remove_kind(p, group, N_DG_DEVICE, remove_member);
	step = plan_step(p->plan, '-', group, xstrdup("device_groups/mgmt"),
			 xprintf("del %s", group->name));
	step->pos.line = 0;
	step_undo(step, xstrdup("device_groups/mgmt"), xprintf("create %s", group->name));
}

/* ---- what the file does not name -------------------------------------- */

/* Values that new objects have; of attributes not listed none is known. */
static const char *const defaults[][2] = {
	{ "addr_method", "PERIPHERAL" }, { "io_grouping_type", "auto" }, { "comment", "" },
	{ "forward_src", "0" }, { "forward_dst", "0" }, { "aen_disabled", "0" },
	{ "setup_id", "0x0" }, { "max_tgt_dev_commands", "64" }, { "numa_node_id", "-1" },
	{ "lb_per_pb_exp", "1" }, { "scsi_device_name", "" }, { "inq_vend_specific", "" },
	{ "naa_id", "" }, { "eui64_id", "" }, { "max_tasklet_cmd", "10" },
};

static const char *default_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(defaults); i++)
		if (!strcmp(defaults[i][0], name))
			return defaults[i][1];
	return NULL;
}

/* What follows in the plan finds the attribute as this leaves it. */
static void prune_attrs(struct planner *p, const struct node *node, struct node *present)
{
	const char *value;
	struct attr *old;

	for_each_attr(old, present) {
		if (!(old->flags & A_KEY) || !(old->flags & A_WRITE) || attr_find(node, old->name))
			continue;
		value = default_of(old->name);
		if (!value)
			continue;
		plan_change(p, node, old, old->name, value, node->pos);
		free(old->value);
		old->value = xstrdup(value);
		old->flags &= ~A_KEY;
	}
}

static void remove_object(struct planner *p, struct node *node)
{
	switch (node->kind) {
	case N_DEVICE:
		remove_device(p, node, true);
		break;
	case N_TARGET:
		remove_target(p, node);
		break;
	case N_LUN:
		remove_lun(p, node);
		break;
	case N_GROUP:
		remove_group(p, node);
		break;
	case N_INITIATOR:
		remove_initiator(p, node);
		break;
	case N_DEVICE_GROUP:
		remove_device_group(p, node);
		break;
	case N_TARGET_GROUP:
		remove_target_group(p, node);
		break;
	case N_DG_DEVICE:
	case N_TG_TARGET:
		remove_member(p, node);
		break;
	default:
		break;
	}
}

static bool is_moved(const struct node *wanted, const struct node *ini)
{
	const struct node *grp;

	for_each_child(grp, wanted)
		if (grp->kind == N_GROUP && node_find(grp, N_INITIATOR, ini->name))
			return true;
	return false;
}

static void prune_sessions(struct planner *p, const struct node *node, const struct node *present)
{
	const struct attr *old, *attr;
	struct step *step;

	for (old = attr_find(present, "session_name"); old; old = attr_next(old)) {
		for (attr = attr_find(node, "session_name"); attr; attr = attr_next(attr))
			if (!strcmp(old->value, attr->value))
				break;
		if (attr)
			continue;
		step = plan_step(p->plan, '-', node, below(node->parent, "mgmt"),
				 xprintf("del_session %s %s", node->name, old->value));
		step->attr = xstrdup("session_name");
		step->old = xstrdup(old->value);
		step_undo(step, below(node->parent, "mgmt"),
			  xprintf("add_session %s %s", node->name, old->value));
	}
}

/* The file has it elsewhere: a device with another handler, a pattern in another group. */
static bool stays(struct planner *p, const struct node *wanted, const struct node *child)
{
	if (child->kind == N_DEVICE)
		return node_device(p->wanted, child->name);
	return child->kind == N_INITIATOR && is_moved(wanted->parent, child);
}

static void remove_for_good(struct planner *p, struct node *node)
{
	remove_object(p, node);
	node_remove(node);
	node_free(node);
}

static void prune_node(struct planner *p, struct node *wanted, struct node *present)
{
	struct node *child, *counterpart, **list;
	size_t nr = 0, i;
	bool whole = !p->options->partial || present->kind == N_TARGET || present->kind == N_GROUP;

	if (wanted) {
		prune_attrs(p, wanted, present);
		if (wanted->kind == N_TARGET)
			prune_sessions(p, wanted, present);
	}
	for_each_child(child, present)
		nr++;
	list = xcalloc(nr, sizeof(*list));
	for (i = 0, child = present->first; child; child = child->next)
		list[i++] = child;
	while (nr) {
		child = list[--nr];
		counterpart = wanted ? node_find(wanted, child->kind, child->name) : NULL;
		if (child->kind == N_HANDLER || child->kind == N_DRIVER || counterpart)
			prune_node(p, counterpart, child);
		else if (whole && !stays(p, wanted, child))
			remove_for_good(p, child);
	}
	free(list);
}

static void prune_kind(struct planner *p, enum kind kind)
{
	struct node *child, *next, *wanted;

	for (child = p->present->first; child; child = next) {
		next = child->next;
		if (child->kind != kind)
			continue;
		wanted = node_find(p->wanted, kind, child->name);
		if (kind == N_DEVICE_GROUP && !wanted) {
			if (!p->options->partial)
				remove_for_good(p, child);
			continue;
		}
		prune_node(p, wanted, child);
	}
}

/* Device groups, then targets and initiator groups, then the devices that both show */
void plan_prune(struct planner *p)
{
	if (!p->options->partial)
		prune_attrs(p, p->wanted, p->present);
	prune_kind(p, N_DEVICE_GROUP);
	prune_kind(p, N_DRIVER);
	prune_kind(p, N_HANDLER);
}
