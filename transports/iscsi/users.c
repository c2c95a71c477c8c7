// SPDX-License-Identifier: GPL-2.0
/*
 * CHAP users of targets and of discovery sessions, and the commands of the driver's
 * mgmt file that change them. Secrets are never logged.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "iscsit.h"

#define ISCSIT_MIN_SECRET	12

struct iscsit_users iscsit_discovery_users = {
	.lock = __SPIN_LOCK_UNLOCKED(iscsit_discovery_users.lock),
	.list = LIST_HEAD_INIT(iscsit_discovery_users.list),
};

void iscsit_users_init(struct iscsit_users *users)
{
	spin_lock_init(&users->lock);
	INIT_LIST_HEAD(&users->list);
}

void iscsit_users_free(struct iscsit_users *users)
{
	struct iscsit_user_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &users->list, link) {
		list_del(&entry->link);
		kfree_sensitive(entry);
	}
}

/* Of an outgoing user there is one, whatever its name. users->lock is held. */
static struct iscsit_user_entry *iscsit_entry(struct iscsit_users *users, bool outgoing,
					      const char *name)
{
	struct iscsit_user_entry *entry;

	list_for_each_entry(entry, &users->list, link)
		if (entry->outgoing == outgoing &&
		    (!name || !strcmp(entry->user.name, name)))
			return entry;
	return NULL;
}

/**
 * iscsit_user_find() - a secret
 * @users: where
 * @outgoing: the target's own, name and secret; else that of @user->name
 * @user: result
 */
bool iscsit_user_find(struct iscsit_users *users, bool outgoing, struct iscsi_user *user)
{
	struct iscsit_user_entry *entry;

	spin_lock(&users->lock);
	entry = iscsit_entry(users, outgoing, outgoing ? NULL : user->name);
	if (entry)
		*user = entry->user;
	spin_unlock(&users->lock);
	return entry;
}

bool iscsit_users_any(struct iscsit_users *users, bool outgoing)
{
	bool any;

	spin_lock(&users->lock);
	any = iscsit_entry(users, outgoing, NULL);
	spin_unlock(&users->lock);
	return any;
}

static int iscsit_user_add(struct iscsit_users *users, bool outgoing, const char *name,
			   const char *secret)
{
	struct iscsit_user_entry *entry;
	int ret = 0;

	if (!secret || strlen(secret) < ISCSIT_MIN_SECRET ||
	    strlen(secret) >= ISCSI_SECRET_MAX || strlen(name) >= ISCSI_USER_MAX) {
		pr_err("skua_iscsi: user %s: a secret has 12 to 255 characters\n", name);
		return -EINVAL;
	}
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->outgoing = outgoing;
	strcpy(entry->user.name, name);
	strcpy(entry->user.secret, secret);
	spin_lock(&users->lock);
	if (iscsit_entry(users, outgoing, outgoing ? NULL : name))
		ret = -EINVAL;
	else
		list_add_tail(&entry->link, &users->list);
	spin_unlock(&users->lock);
	if (ret) {
		pr_err("skua_iscsi: user %s: %s\n", name,
		       outgoing ? "there is an OutgoingUser" : "exists");
		kfree_sensitive(entry);
	}
	return ret;
}

static int iscsit_user_del(struct iscsit_users *users, bool outgoing, const char *name)
{
	struct iscsit_user_entry *entry;

	spin_lock(&users->lock);
	entry = iscsit_entry(users, outgoing, name);
	if (entry)
		list_del(&entry->link);
	spin_unlock(&users->lock);
	if (!entry) {
		pr_err("skua_iscsi: no user %s\n", name);
		return -EINVAL;
	}
	kfree_sensitive(entry);
	return 0;
}

/**
 * iscsit_next_word() - cut a word off a text; blanks and '=' separate
 * @text: where to start; moved on
 *
 * Return: NULL if there is none.
 */
char *iscsit_next_word(char **text)
{
	char *word, *end;

	if (!*text)
		return NULL;
	word = *text + strspn(*text, "= \t\n");
	end = word + strcspn(word, "= \t\n");
	*text = end;
	if (*end) {
		*end = '\0';
		(*text)++;
	}
	return *word ? word : NULL;
}

static int iscsit_user_cmd(struct iscsit_users *users, bool add, const char *attr, char *words)
{
	bool outgoing = !strcasecmp(attr, "OutgoingUser");
	char *name = iscsit_next_word(&words), *secret = iscsit_next_word(&words);

	if ((!outgoing && strcasecmp(attr, "IncomingUser")) || !name) {
		pr_err("skua_iscsi: attribute %s: IncomingUser or OutgoingUser NAME SECRET\n",
		       attr);
		return -EINVAL;
	}
	return add ? iscsit_user_add(users, outgoing, name, secret) :
	       iscsit_user_del(users, outgoing, name);
}

/**
 * iscsit_drv_cmd() - add_attribute, del_attribute, add_target_attribute,
 *	del_target_attribute
 * @cmd: the command word
 * @words: the rest
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM; -ENOIOCTLCMD: no such command.
 */
int iscsit_drv_cmd(const char *cmd, char *words)
{
	bool add = !strncasecmp(cmd, "add_", 4);
	struct iscsit_target *target;
	char *name, *attr;
	int ret;

	if (!add && strncasecmp(cmd, "del_", 4))
		return -ENOIOCTLCMD;
	cmd += 4;
	if (!strcasecmp(cmd, "attribute")) {
		attr = iscsit_next_word(&words);
		return attr ? iscsit_user_cmd(&iscsit_discovery_users, add, attr, words) : -EINVAL;
	}
	if (strcasecmp(cmd, "target_attribute"))
		return -ENOIOCTLCMD;
	name = iscsit_next_word(&words);
	attr = iscsit_next_word(&words);
	if (!attr)
		return -EINVAL;
	target = iscsit_target_get(name);
	if (!target) {
		pr_err("skua_iscsi: no target %s\n", name);
		return -ENOENT;
	}
	ret = iscsit_user_cmd(&target->users, add, attr, words);
	iscsit_target_put(target);
	return ret;
}
