/* SPDX-License-Identifier: GPL-2.0 */
/* What has to be written, in which order, and how to take it back. */
#ifndef SKUAADM_PLAN_H
#define SKUAADM_PLAN_H

#include "node.h"
#include "tree.h"

struct write {
	struct write *next;
	char *path, *data;
};

struct step {
	struct step *next, *prev;
	char op;		/* '+' create, '~' change, '-' remove */
	char *object;		/* node_label() */
	char *attr, *old, *new;	/* of a change; new: also the parameters of a creation */
	char *path, *data;	/* the write */
	struct write *undo;	/* in the order of writing */
	bool optional;		/* the kernel may not have this attribute */
	bool soft;		/* a refusal is worth a note only */
	char *warning;		/* what this costs */
	struct pos pos;
};

struct plan {
	struct step *first, *last;
	unsigned int nr, creates, changes, removes, waiting;
};

struct plan_options {
	bool prune;		/* remove what the file does not name */
	bool recreate;		/* devices whose parameters differ */
	bool keep_going;	/* what is not possible is a warning */
	bool lenient;		/* the same, and LUNs that differ stay: as scstadmin has it */
	const char *const *partial;	/* names of targets and devices, ended by NULL */
};

void plan_make(struct plan *plan, struct node *wanted, struct node *present,
	       const struct plan_options *options, struct diags *diags);
void plan_print(const struct plan *plan, FILE *out);
void plan_free(struct plan *plan);
bool is_secret(const char *attr);
char *shown_value(const char *attr, const char *value);
const char *module_of(const char *name);

struct step *plan_step(struct plan *plan, char op, const struct node *node, char *path,
		       char *data);
void step_undo(struct step *step, char *path, char *data);

/* Parts, each in a file of its own; every path and every text is the callee's to free. */
struct planner {
	struct plan *plan;
	struct node *wanted, *present;
	const struct plan_options *options;
	struct diags *diags;
};

void plan_refuse(struct planner *p, struct pos pos, const char *format, ...) PRINTF(3, 4);
struct node *present_of(struct planner *p, const struct node *node);
char *attr_data(const struct node *node, const char *value);
char *add_command(const struct node *creator, const char *command, const struct node *node,
		  bool keyed);
char *lun_command(const char *command, const struct node *lun, bool read_only);
void plan_change(struct planner *p, const struct node *node, const struct attr *old,
		 const char *name, const char *value, struct pos pos);
void plan_attrs(struct planner *p, const struct node *node, const struct node *present);
void plan_enabled(struct planner *p, enum kind kind);
void plan_dynamic(struct planner *p, const struct node *node, const struct node *present);
void plan_devices(struct planner *p, const struct node *handler);
void plan_driver(struct planner *p, const struct node *driver);
void plan_device_group(struct planner *p, const struct node *group);
void plan_prune(struct planner *p);
void remove_device(struct planner *p, struct node *dev, bool users);
void remove_target(struct planner *p, struct node *tgt);
void remove_lun(struct planner *p, struct node *lun);
void remove_group(struct planner *p, struct node *group);
void remove_initiator(struct planner *p, struct node *ini);
void remove_device_group(struct planner *p, struct node *group);
void remove_target_group(struct planner *p, struct node *group);
void remove_member(struct planner *p, struct node *member);

#endif
