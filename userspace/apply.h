/* SPDX-License-Identifier: GPL-2.0 */
/* Plans carried out, as a whole or not at all. */
#ifndef SKUAADM_APPLY_H
#define SKUAADM_APPLY_H

#include "plan.h"

enum outcome { APPLIED, APPLIED_IN_PART, ROLLED_BACK, HALF_DONE };

struct result {
	enum outcome outcome;
	unsigned int done;	/* steps that took effect */
	unsigned int failed;	/* with keep_going */
	char *message;		/* which object failed and why */
	struct strings notes;	/* attributes passed over, what could not be taken back */
};

void plan_apply(struct tree *tree, const struct plan *plan, bool keep_going,
		struct result *result);
void result_free(struct result *result);
char *failure_text(struct tree *tree, const struct step *step, int error);

#endif
