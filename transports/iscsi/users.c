// SPDX-License-Identifier: GPL-2.0
/*
 * CHAP users of targets, of their initiator groups and of discovery sessions, allowed
 * portals, and the commands of the driver's mgmt file that change them. Each has a file,
 * which only root reads if there is a secret in it. Secrets are never logged.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "iscsit.h"

#define ISCSIT_MIN_SECRET	12
#define ISCSIT_MAX_FILES	1000	/* of one name */

enum iscsit_entry_kind { ISCSIT_INCOMING, ISCSIT_OUTGOING, ISCSIT_PORTAL, ISCSIT_NR_KINDS };

static const char *const iscsit_kinds[] = { "IncomingUser", "OutgoingUser", "allowed_portal" };

/**
 * struct iscsit_entry - a CHAP user or an allowed portal
 * @link: users->list
 * @item: its file
 * @kind: enum iscsit_entry_kind
 * @user: name and secret; of a portal a pattern and nothing
 * @group: initiator group, or "": of the whole target
 */
struct iscsit_entry {
	struct list_head link;
	struct iscsit_item item;
	u8 kind;
	struct iscsi_user user;
	char group[SKUA_MAX_NAME];
};

const char iscsit_drv_help[] =
	"       echo \"add_attribute IncomingUser|OutgoingUser NAME SECRET\" >mgmt\n"
	"       echo \"add_attribute portal ADDRESS:PORT [tcp|iser]\" >mgmt\n"
	"       echo \"del_attribute ATTRIBUTE NAME\" >mgmt\n"
	"       echo \"add_target_attribute TARGET IncomingUser|OutgoingUser NAME SECRET\" >mgmt\n"
	"       echo \"add_target_attribute TARGET allowed_portal PATTERN\" >mgmt\n"
	"       echo \"del_target_attribute TARGET ATTRIBUTE NAME\" >mgmt\n"
	"       echo \"add_group_attribute TARGET GROUP IncomingUser|OutgoingUser NAME SECRET\" >mgmt\n"
	"       echo \"del_group_attribute TARGET GROUP ATTRIBUTE NAME\" >mgmt\n\n"
	"The following target driver attributes available: IncomingUser, OutgoingUser, portal\n"
	"The following target attributes available: IncomingUser, OutgoingUser, allowed_portal\n";

struct iscsit_users iscsit_discovery_users = {
	.mutex = __MUTEX_INITIALIZER(iscsit_discovery_users.mutex),
	.list = LIST_HEAD_INIT(iscsit_discovery_users.list),
};

/* ---- files -------------------------------------------------------------- */

static int iscsit_item_add(const struct iscsit_item *item, struct skua_tgt *tgt,
			   const char *group)
{
	return tgt ? skua_tgt_file_add(tgt, group, &item->attr) :
	       skua_driver_file_add(iscsit_driver, &item->attr);
}

/**
 * iscsit_item_show() - make the file of a value: BASE, or BASE1, BASE2 ... if that is taken
 * @item: with attr.show and attr.arg filled in
 * @base: name
 * @mode: permissions
 * @tgt: of this target, NULL: of the driver
 * @group: of this group of @tgt, NULL: of @tgt itself
 *
 * Context: process; nothing that a show() takes is held. Return: 0 or -errno.
 */
int iscsit_item_show(struct iscsit_item *item, const char *base, umode_t mode,
		     struct skua_tgt *tgt, const char *group)
{
	int i, ret = -EEXIST;

	sysfs_attr_init(&item->attr.attr);
	item->attr.attr.name = item->file;
	item->attr.attr.mode = mode;
	strscpy(item->file, base, sizeof(item->file));
	for (i = 1; ret == -EEXIST && i < ISCSIT_MAX_FILES; i++) {
		ret = iscsit_item_add(item, tgt, group);
		if (ret == -EEXIST)
			snprintf(item->file, sizeof(item->file), "%s%d", base, i);
	}
	item->shown = !ret;
	return ret;
}

/**
 * iscsit_item_hide() - take the file away, if it is there
 * @item: the value
 * @tgt: as for iscsit_item_show()
 * @group: as for iscsit_item_show()
 */
void iscsit_item_hide(struct iscsit_item *item, struct skua_tgt *tgt, const char *group)
{
	if (!item->shown)
		return;
	item->shown = false;
	if (tgt)
		skua_tgt_file_del(tgt, group, &item->attr);
	else
		skua_driver_file_del(iscsit_driver, &item->attr);
}

static ssize_t iscsit_entry_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct iscsit_entry *entry = container_of(attr, struct iscsit_entry, item.attr);

	if (entry->kind == ISCSIT_PORTAL)
		return sysfs_emit(buf, "%s\n[key]\n\n", entry->user.name);
	return sysfs_emit(buf, "%s %s\n[key]\n\n", entry->user.name, entry->user.secret);
}

/* The right to write tells tools that the value is worth saving. */
static ssize_t iscsit_entry_store(void *obj, const struct skua_attr *attr, const char *buf,
				  size_t len)
{
	pr_err("skua_iscsi: %s is changed through the driver's mgmt file\n", attr->attr.name);
	return -EINVAL;
}

/* ---- lists -------------------------------------------------------------- */

void iscsit_users_init(struct iscsit_users *users)
{
	mutex_init(&users->mutex);
	INIT_LIST_HEAD(&users->list);
}

/* Their files are gone, or go with the directory before anybody can read them again. */
void iscsit_users_free(struct iscsit_users *users)
{
	struct iscsit_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &users->list, link) {
		list_del(&entry->link);
		kfree_sensitive(entry);
	}
}

/* The first of a kind, of any name if @name is NULL. users->mutex is held. */
static struct iscsit_entry *iscsit_entry_find(struct iscsit_users *users, const char *group,
					      u8 kind, const char *name)
{
	struct iscsit_entry *entry;

	list_for_each_entry(entry, &users->list, link)
		if (entry->kind == kind && !strcmp(entry->group, group) &&
		    (!name || !strcmp(entry->user.name, name)))
			return entry;
	return NULL;
}

/* Users of a group take the place of the target's. */
static const char *iscsit_scope(struct iscsit_users *users, const char *group, u8 kind)
{
	return iscsit_entry_find(users, group, kind, NULL) ? group : "";
}

/**
 * iscsit_user_find() - a secret
 * @users: where
 * @group: initiator group of the login
 * @outgoing: the target's own, name and secret; else that of @user->name
 * @user: result
 *
 * Context: process.
 */
bool iscsit_user_find(struct iscsit_users *users, const char *group, bool outgoing,
		      struct iscsi_user *user)
{
	u8 kind = outgoing ? ISCSIT_OUTGOING : ISCSIT_INCOMING;
	struct iscsit_entry *entry;

	mutex_lock(&users->mutex);
	entry = iscsit_entry_find(users, iscsit_scope(users, group, kind), kind,
				  outgoing ? NULL : user->name);
	if (entry)
		*user = entry->user;
	mutex_unlock(&users->mutex);
	return entry;
}

/**
 * iscsit_users_any() - do initiators have to authenticate themselves?
 * @users: where
 * @group: initiator group of the login
 */
bool iscsit_users_any(struct iscsit_users *users, const char *group)
{
	bool any;

	mutex_lock(&users->mutex);
	any = iscsit_entry_find(users, iscsit_scope(users, group, ISCSIT_INCOMING),
				ISCSIT_INCOMING, NULL);
	mutex_unlock(&users->mutex);
	return any;
}

/**
 * iscsit_portal_allowed() - is the target to be seen through a portal?
 * @users: the target's
 * @local: address and port here
 *
 * It is if no portal is named, or one that matches.
 */
bool iscsit_portal_allowed(struct iscsit_users *users, const char *local)
{
	char address[ISCSIT_ADDR_LEN], *end;
	struct iscsit_entry *entry;
	bool any = false, match = false;

	strscpy(address, local + (*local == '['), sizeof(address));
	end = strrchr(address, *local == '[' ? ']' : ':');
	if (end)
		*end = '\0';
	mutex_lock(&users->mutex);
	list_for_each_entry(entry, &users->list, link) {
		if (entry->kind != ISCSIT_PORTAL)
			continue;
		any = true;
		match |= skua_match(entry->user.name, address);
	}
	mutex_unlock(&users->mutex);
	return match || !any;
}

/**
 * iscsit_group_gone() - an initiator group was deleted: its users go
 * @tgt: the core's target
 * @group: its name
 *
 * Context: process.
 */
void iscsit_group_gone(struct skua_tgt *tgt, const char *group)
{
	struct iscsit_target *target = skua_tgt_priv(tgt);
	struct iscsit_entry *entry, *next;

	mutex_lock(&target->users.mutex);
	list_for_each_entry_safe(entry, next, &target->users.list, link) {
		if (strcmp(entry->group, group))
			continue;
		/* There may be a new group of that name, which has the file now. */
		iscsit_item_hide(&entry->item, tgt, group);
		list_del(&entry->link);
		kfree_sensitive(entry);
	}
	mutex_unlock(&target->users.mutex);
}

/* ---- commands ----------------------------------------------------------- */

static struct iscsit_entry *iscsit_entry_new(const char *group, u8 kind, const char *name,
					     const char *secret)
{
	struct iscsit_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->kind = kind;
	entry->item.attr.show = iscsit_entry_show;
	entry->item.attr.store = iscsit_entry_store;
	strscpy(entry->group, group, sizeof(entry->group));
	strscpy(entry->user.name, name, sizeof(entry->user.name));
	if (secret)
		strscpy(entry->user.secret, secret, sizeof(entry->user.secret));
	return entry;
}

static int iscsit_entry_check(u8 kind, const char *name, const char *secret)
{
	if (strlen(name) >= ISCSI_USER_MAX || (kind == ISCSIT_PORTAL && secret)) {
		pr_err("skua_iscsi: %s: too long, or a word too many\n", iscsit_kinds[kind]);
		return -EINVAL;
	}
	if (kind == ISCSIT_PORTAL)
		return 0;
	if (!secret || strlen(secret) < ISCSIT_MIN_SECRET || strlen(secret) >= ISCSI_SECRET_MAX) {
		pr_err("skua_iscsi: user %s: a secret has 12 to 255 characters\n", name);
		return -EINVAL;
	}
	return 0;
}

/* Of an outgoing user there is one, whatever its name. */
static int iscsit_entry_add(struct iscsit_users *users, struct skua_tgt *tgt, const char *group,
			    u8 kind, const char *name, const char *secret)
{
	struct iscsit_entry *entry;
	int ret = iscsit_entry_check(kind, name, secret);

	if (ret)
		return ret;
	entry = iscsit_entry_new(group, kind, name, secret);
	if (!entry)
		return -ENOMEM;
	mutex_lock(&users->mutex);
	if (iscsit_entry_find(users, group, kind, kind == ISCSIT_OUTGOING ? NULL : name)) {
		pr_err("skua_iscsi: %s %s: there is one already\n", iscsit_kinds[kind], name);
		ret = -EINVAL;
	}
	if (!ret)
		ret = iscsit_item_show(&entry->item, iscsit_kinds[kind],
				       kind == ISCSIT_PORTAL ? 0644 : 0600, tgt,
				       *group ? group : NULL);
	if (!ret)
		list_add_tail(&entry->link, &users->list);
	mutex_unlock(&users->mutex);
	if (ret)
		kfree_sensitive(entry);
	return ret;
}

static int iscsit_entry_del(struct iscsit_users *users, struct skua_tgt *tgt, const char *group,
			    u8 kind, const char *name)
{
	struct iscsit_entry *entry;

	mutex_lock(&users->mutex);
	entry = iscsit_entry_find(users, group, kind, name);
	if (entry) {
		list_del(&entry->link);
		iscsit_item_hide(&entry->item, tgt, *group ? group : NULL);
	}
	mutex_unlock(&users->mutex);
	if (!entry) {
		pr_err("skua_iscsi: no %s %s\n", iscsit_kinds[kind], name);
		return -EINVAL;
	}
	kfree_sensitive(entry);
	return 0;
}

/* A word that may hold '=', as secrets do: only blanks separate. */
static char *iscsit_next_value(char **text)
{
	char *word, *end;

	if (!*text)
		return NULL;
	word = *text + strspn(*text, " \t\n");
	end = word + strcspn(word, " \t\n");
	*text = end;
	if (*end) {
		*end = '\0';
		(*text)++;
	}
	return *word ? word : NULL;
}

static int iscsit_entry_cmd(struct iscsit_users *users, struct skua_tgt *tgt, const char *group,
			    bool add, const char *attr, char *words)
{
	char *name, *secret;
	u8 kind;

	if (words)
		words += strspn(words, "= \t\n");	/* ATTRIBUTE = NAME */
	name = iscsit_next_value(&words);
	secret = iscsit_next_value(&words);
	if (iscsit_next_value(&words)) {
		pr_err("skua_iscsi: attribute %s: words behind the secret\n", attr);
		return -EINVAL;
	}

	for (kind = 0; kind < ISCSIT_NR_KINDS; kind++)
		if (!strcasecmp(attr, iscsit_kinds[kind]))
			break;
	if (kind == ISCSIT_NR_KINDS || !name || (kind == ISCSIT_PORTAL && (!tgt || *group))) {
		pr_err("skua_iscsi: attribute %s: unknown here, or without a name\n", attr);
		return -EINVAL;
	}
	return add ? iscsit_entry_add(users, tgt, group, kind, name, secret) :
	       iscsit_entry_del(users, tgt, group, kind, name);
}

static int iscsit_incomplete(const char *what)
{
	pr_err("skua_iscsi: %s: a word is missing, or too long\n", what);
	return -EINVAL;
}

static int iscsit_discovery_cmd(bool add, const char *attr, char *words)
{
	char *name;

	if (strcasecmp(attr, "portal"))
		return iscsit_entry_cmd(&iscsit_discovery_users, NULL, "", add, attr, words);
	name = skua_next_word(&words);
	if (!name)
		return iscsit_incomplete(attr);
	return add ? iscsit_portal_add(name, skua_next_word(&words)) : iscsit_portal_del(name);
}

/* [add|del]_[target|group]_attribute TARGET [GROUP] ATTRIBUTE ... */
static int iscsit_target_cmd(bool add, bool of_group, char *words)
{
	char *name = skua_next_word(&words);
	char *group = of_group ? skua_next_word(&words) : NULL;
	char *attr = skua_next_word(&words);
	struct iscsit_target *target;
	int ret = -ENOENT;

	if (!attr || (group && strlen(group) >= SKUA_MAX_NAME))
		return iscsit_incomplete("attribute of a target");
	target = iscsit_target_get(name);
	if (!target) {
		pr_err("skua_iscsi: no target %s\n", name);
		return -ENOENT;
	}
	mutex_lock(&target->login);	/* keeps target->tgt */
	if (!target->dead)
		ret = iscsit_entry_cmd(&target->users, target->tgt, group ?: "", add, attr, words);
	mutex_unlock(&target->login);
	if (ret == -ENOENT)
		pr_err("skua_iscsi: %s: no group %s\n", name, group ?: "");
	iscsit_target_put(target);
	return ret;
}

/**
 * iscsit_drv_cmd() - add_attribute, add_target_attribute, add_group_attribute, and del_...
 * @cmd: the command word
 * @words: the rest
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM; -ENOIOCTLCMD: no such command.
 */
int iscsit_drv_cmd(const char *cmd, char *words)
{
	bool add = !strncasecmp(cmd, "add_", 4);
	char *attr;

	if (!add && strncasecmp(cmd, "del_", 4))
		return -ENOIOCTLCMD;
	cmd += 4;
	if (!strcasecmp(cmd, "attribute")) {
		attr = skua_next_word(&words);
		return attr ? iscsit_discovery_cmd(add, attr, words) :
			      iscsit_incomplete("attribute");
	}
	if (!strcasecmp(cmd, "target_attribute"))
		return iscsit_target_cmd(add, false, words);
	if (!strcasecmp(cmd, "group_attribute"))
		return iscsit_target_cmd(add, true, words);
	return -ENOIOCTLCMD;
}
