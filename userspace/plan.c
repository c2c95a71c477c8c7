// SPDX-License-Identifier: GPL-2.0
/*
 * Steps, and the order of things: first what goes, then devices, targets with their
 * groups and LUNs, device groups, and last what lets initiators in.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plan.h"
#include "state.h"
#include "term.h"

/**
 * plan_step() - append a step
 * @plan: the plan
 * @op: '+', '~' or '-'
 * @node: the object
 * @path: the file, now the step's
 * @data: the write, now the step's
 *
 * Return: the step.
 */
struct step *plan_step(struct plan *plan, char op, const struct node *node, char *path,
		       char *data)
{
	struct step *step = xcalloc(1, sizeof(*step));

	step->op = op;
	step->object = node_label(node);
	step->path = path;
	step->data = data;
	step->pos = node->pos;
	step->prev = plan->last;
	if (plan->last)
		plan->last->next = step;
	else
		plan->first = step;
	plan->last = step;
	plan->nr++;
	if (op == '+')
		plan->creates++;
	else if (op == '-')
		plan->removes++;
	else
		plan->changes++;
	return step;
}

/* Adds to what is written, in this order, to take a step back. */
void step_undo(struct step *step, char *path, char *data)
{
	struct write *undo = xcalloc(1, sizeof(*undo)), **last;

	undo->path = path;
	undo->data = data;
	for (last = &step->undo; *last; last = &(*last)->next)
		;
	*last = undo;
}

void plan_free(struct plan *plan)
{
	struct step *step;
	struct write *undo;

	while ((step = plan->first)) {
		plan->first = step->next;
		while ((undo = step->undo)) {
			step->undo = undo->next;
			free(undo->path);
			free(undo->data);
			free(undo);
		}
		free(step->object);
		free(step->attr);
		free(step->old);
		free(step->new);
		free(step->path);
		free(step->data);
		free(step->warning);
		free(step);
	}
	memset(plan, 0, sizeof(*plan));
}

/* Something cannot be done: an error, unless the rest shall be done anyway. */
void plan_refuse(struct planner *p, struct pos pos, const char *format, ...)
{
	va_list ap;
	char *s;

	va_start(ap, format);
	if (vasprintf(&s, format, ap) < 0)
		s = xstrdup("out of memory");
	va_end(ap);
	if (p->options->keep_going || p->options->lenient)
		diag_warn(p->diags, pos, "%s; left out", s);
	else
		diag_error(p->diags, pos, "%s", s);
	free(s);
}

/* The kernel's object for one of the file */
struct node *present_of(struct planner *p, const struct node *node)
{
	if (node->kind == N_ROOT)
		return p->present;
	return node_find(present_of(p, node->parent), node->kind, node->name);
}

/* ---- partial ---------------------------------------------------------- */

static bool named(const struct plan_options *options, const char *name)
{
	const char *const *i;

	for (i = options->partial; *i; i++)
		if (!strcmp(*i, name))
			return true;
	return false;
}

static bool keep_child(const struct plan_options *options, const struct node *root,
		       const struct node *child)
{
	const struct node *i;

	if (named(options, child->name))
		return true;
	if (child->kind != N_DEVICE)
		return false;
	/* A device that a kept target shows */
	for_each_node(i, root)
		if (i->kind == N_LUN && !strcmp(i->device, child->name)) {
			const struct node *tgt = i->parent->kind == N_GROUP ? i->parent->parent :
						 i->parent;

			if (named(options, tgt->name))
				return true;
		}
	return false;
}

/* Leaves only what the names of --partial are about. */
static void keep_partial(struct node *root, const struct plan_options *options)
{
	struct node *top, *next, *child, *after;

	while (root->attrs)
		attr_remove(root, root->attrs);
	for (top = root->first; top; top = next) {
		next = top->next;
		if (top->kind != N_HANDLER && top->kind != N_DRIVER) {
			node_remove(top);
			node_free(top);
			continue;
		}
		while (top->attrs)
			attr_remove(top, top->attrs);
		for (child = top->first; child; child = after) {
			after = child->next;
			if (keep_child(options, root, child))
				continue;
			node_remove(child);
			node_free(child);
		}
	}
}

static void check_partial(struct planner *p)
{
	const char *const *name;
	const struct node *i;

	for (name = p->options->partial; *name; name++) {
		for_each_node(i, p->wanted)
			if ((i->kind == N_TARGET || i->kind == N_DEVICE) && !strcmp(i->name, *name))
				break;
		if (!i)
			diag_error(p->diags, (struct pos){ 0, 0 },
				   "there is no TARGET and no DEVICE %s", *name);
	}
}

/* ---- making ----------------------------------------------------------- */

/**
 * plan_make() - find out what has to be done
 * @plan: zeroed; filled in
 * @wanted: of the file; parts that do not matter are taken out
 * @present: of the kernel; may be changed
 * @options: how
 * @diags: gets what is not possible
 */
void plan_make(struct plan *plan, struct node *wanted, struct node *present,
	       const struct plan_options *options, struct diags *diags)
{
	struct planner p = { plan, wanted, present, options, diags };
	struct node *child;

	if (options->partial) {
		check_partial(&p);
		keep_partial(wanted, options);
	}
	if (options->prune)
		plan_prune(&p);
	for_each_child(child, wanted)
		if (child->kind == N_HANDLER)
			plan_devices(&p, child);
	for_each_child(child, wanted)
		if (child->kind == N_DRIVER)
			plan_driver(&p, child);
	for_each_child(child, wanted)
		if (child->kind == N_DEVICE_GROUP)
			plan_device_group(&p, child);
	plan_enabled(&p, N_TARGET);
	plan_enabled(&p, N_DRIVER);
	plan_attrs(&p, wanted, present);
}

/* ---- printing --------------------------------------------------------- */

bool is_secret(const char *attr)
{
	return !strcmp(attr, "IncomingUser") || !strcmp(attr, "OutgoingUser");
}

/* A value as it may be seen by bystanders; for free(). */
char *shown_value(const char *attr, const char *value)
{
	if (attr && is_secret(attr))
		return xprintf("%.*s ***", (int)strcspn(value, " "), value);
	return xstrdup(*value ? value : "(nothing)");
}

static void print_change(const struct step *step, FILE *out)
{
	char *old = step->old ? shown_value(step->attr, step->old) : NULL;
	char *new = step->new ? shown_value(step->attr, step->new) : NULL;

	if (step->attr)
		fprintf(out, ": %s", step->attr);
	if (old && new)
		fprintf(out, " %s -> %s", old, new);
	else if (old || new)
		fprintf(out, " %s", old ? old : new);
	free(old);
	free(new);
}

/**
 * plan_print() - show what is going to happen, for people
 * @plan: the plan
 * @out: where to
 */
void plan_print(const struct plan *plan, FILE *out)
{
	const struct step *step;

	for (step = plan->first; step; step = step->next) {
		const char *colour = step->op == '+' ? term_green(out) :
				     step->op == '-' ? term_red(out) : term_yellow(out);

		fprintf(out, "  %s%c%s %s", colour, step->op, term_plain(out), step->object);
		print_change(step, out);
		if (step->warning)
			fprintf(out, " %s(%s)%s", term_red(out), step->warning, term_plain(out));
		fputc('\n', out);
	}
}
