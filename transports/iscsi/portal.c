// SPDX-License-Identifier: GPL-2.0
/*
 * Portals: addresses and ports, each served by TCP, by iSER, or by both. Unless some are
 * configured there are the default ones.
 */
#include <linux/inet.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "iscsit.h"

#define ISCSIT_DEFAULT_PORTALS	"0.0.0.0:3260,[::]:3260"

/**
 * struct iscsit_portal - a portal
 * @item: the file that shows it
 * @link: iscsit_portals, under iscsit_mutex
 * @addr: where
 * @name: the same in text
 * @only: name of the one mover that serves it, or "": all
 * @cookies: of the movers that listen there; NULL if one does not
 */
struct iscsit_portal {
	struct iscsit_item item;
	struct list_head link;
	struct sockaddr_storage addr;
	char name[ISCSIT_ADDR_LEN];
	char only[8];
	void *cookies[ISCSIT_NR_MOVERS];
};

/* Under iscsit_mutex */
static LIST_HEAD(iscsit_portals);
static bool iscsit_default_portals;
static const struct iscsit_mover *iscsit_movers[ISCSIT_NR_MOVERS];

/* ---- movers ----------------------------------------------------------- */

static int iscsit_portal_open(struct iscsit_portal *portal, int i)
{
	const struct iscsit_mover *mover = iscsit_movers[i];
	void *cookie;

	if (!mover || (portal->only[0] && strcmp(portal->only, mover->portal)))
		return 0;
	cookie = mover->listen(&portal->addr);
	if (!IS_ERR(cookie)) {
		portal->cookies[i] = cookie;
		return 0;
	}
	/* A machine without IPv6 does without those. */
	if (PTR_ERR(cookie) == -EAFNOSUPPORT && iscsit_default_portals)
		return 0;
	pr_err("skua_iscsi: portal %s: %s does not listen: %ld\n", portal->name, mover->portal,
	       PTR_ERR(cookie));
	/* RDMA devices come and go; where they are not asked for they are welcome. */
	return mover->rdma && !portal->only[0] ? 0 : PTR_ERR(cookie);
}

static void iscsit_portal_close(struct iscsit_portal *portal, int i)
{
	void *cookie = portal->cookies[i];

	portal->cookies[i] = NULL;
	if (cookie)
		iscsit_movers[i]->unlisten(cookie);
}

/**
 * iscsit_mover_register() - a mover listens from now on
 * @mover: its table
 *
 * A portal where it cannot is passed over, with a line in the log.
 *
 * Context: process. Return: 0, -EBUSY.
 */
int iscsit_mover_register(const struct iscsit_mover *mover)
{
	struct iscsit_portal *portal;
	int i, ret = -EBUSY;

	mutex_lock(&iscsit_mutex);
	for (i = 0; i < ISCSIT_NR_MOVERS && ret; i++) {
		if (iscsit_movers[i])
			continue;
		iscsit_movers[i] = mover;
		list_for_each_entry(portal, &iscsit_portals, link)
			iscsit_portal_open(portal, i);
		ret = 0;
	}
	mutex_unlock(&iscsit_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(iscsit_mover_register);

/**
 * iscsit_mover_unregister() - a mover leaves, with its connections
 * @mover: its table
 *
 * Context: process. On return no connection of it is left.
 */
void iscsit_mover_unregister(const struct iscsit_mover *mover)
{
	struct iscsit_portal *portal;
	int i;

	mutex_lock(&iscsit_mutex);
	for (i = 0; i < ISCSIT_NR_MOVERS; i++) {
		if (iscsit_movers[i] != mover)
			continue;
		list_for_each_entry(portal, &iscsit_portals, link)
			iscsit_portal_close(portal, i);
		iscsit_movers[i] = NULL;
	}
	mutex_unlock(&iscsit_mutex);
	iscsit_conns_close(mover);
	iscsit_conns_wait(mover);
}
EXPORT_SYMBOL_GPL(iscsit_mover_unregister);

/* ---- portals ---------------------------------------------------------- */

/* ADDRESS:PORT or [ADDRESS]:PORT */
static int iscsit_portal_parse(struct iscsit_portal *portal, const char *text)
{
	char copy[ISCSIT_ADDR_LEN], *addr = copy, *port;

	if (strscpy(copy, text, sizeof(copy)) < 0)
		return -EINVAL;
	port = strrchr(copy, ':');
	if (!port)
		return -EINVAL;
	*port++ = '\0';
	if (*addr == '[') {
		addr++;
		addr[strcspn(addr, "]")] = '\0';
	} else if (strchr(addr, ':')) {
		return -EINVAL;		/* an IPv6 address without brackets */
	}
	return inet_pton_with_scope(&init_net, AF_UNSPEC, addr, port, &portal->addr) ?
	       -EINVAL : 0;
}

static ssize_t iscsit_portal_show(void *obj, const struct skua_attr *attr, char *buf)
{
	const struct iscsit_portal *portal = container_of(attr, struct iscsit_portal, item.attr);

	return sysfs_emit(buf, "%s%s%s\n%s", portal->name, portal->only[0] ? " " : "",
			  portal->only, attr->arg ? "[key]\n" : "");
}

static void iscsit_portal_free(struct iscsit_portal *portal)
{
	int i;

	iscsit_item_hide(&portal->item, NULL, NULL);
	for (i = 0; i < ISCSIT_NR_MOVERS; i++)
		iscsit_portal_close(portal, i);
	list_del(&portal->link);
	kfree(portal);
}

static struct iscsit_portal *iscsit_portal_find(const char *name)
{
	struct iscsit_portal *portal;

	list_for_each_entry(portal, &iscsit_portals, link)
		if (!strcasecmp(portal->name, name))
			return portal;
	return NULL;
}

static int iscsit_portal_new(const char *text, const char *only, bool key)
{
	struct iscsit_portal *portal = kzalloc(sizeof(*portal), GFP_KERNEL);
	int i, ret;

	if (!portal)
		return -ENOMEM;
	strscpy(portal->name, text, sizeof(portal->name));
	if (only)
		strscpy(portal->only, only, sizeof(portal->only));
	list_add_tail(&portal->link, &iscsit_portals);
	ret = iscsit_portal_parse(portal, text);
	if (ret)
		pr_err("skua_iscsi: portal %s: ADDRESS:PORT or [ADDRESS]:PORT\n", text);
	for (i = 0; i < ISCSIT_NR_MOVERS && !ret; i++)
		ret = iscsit_portal_open(portal, i);
	portal->item.attr.show = iscsit_portal_show;
	portal->item.attr.arg = key;
	if (!ret)
		ret = iscsit_item_show(&portal->item, "portal", 0444, NULL, NULL);
	if (ret)
		iscsit_portal_free(portal);
	return ret;
}

static void iscsit_portals_clear(void)
{
	struct iscsit_portal *portal, *next;

	list_for_each_entry_safe(portal, next, &iscsit_portals, link)
		iscsit_portal_free(portal);
	iscsit_default_portals = false;
}

/* Those of a configuration that names none. */
static void iscsit_portals_default(void)
{
	char copy[] = ISCSIT_DEFAULT_PORTALS, *rest = copy, *item;

	iscsit_default_portals = true;
	while ((item = strsep(&rest, ",")))
		iscsit_portal_new(item, NULL, false);
}

static int iscsit_portal_only(const char *only)
{
	if (!only || !strcmp(only, "tcp") || !strcmp(only, "iser"))
		return 0;
	pr_err("skua_iscsi: portal: \"%s\" is neither tcp nor iser\n", only);
	return -EINVAL;
}

/**
 * iscsit_portal_add() - add_attribute portal ADDRESS:PORT [tcp|iser]
 * @text: address and port
 * @only: which mover, or NULL: all
 *
 * The first one takes the place of the default ones. Context: process.
 * Return: 0, -EINVAL, -EEXIST, or what kept it from listening.
 */
int iscsit_portal_add(const char *text, const char *only)
{
	bool dflt;
	int ret = iscsit_portal_only(only);

	if (ret)
		return ret;
	mutex_lock(&iscsit_mutex);
	dflt = iscsit_default_portals;
	if (dflt)
		iscsit_portals_clear();
	ret = iscsit_portal_find(text) ? -EEXIST : iscsit_portal_new(text, only, true);
	if (ret && dflt)
		iscsit_portals_default();
	mutex_unlock(&iscsit_mutex);
	return ret;
}

/**
 * iscsit_portal_del() - del_attribute portal ADDRESS:PORT
 * @text: as it was added
 *
 * The last one makes place for the default ones. Connections stay.
 * Context: process. Return: 0, -EINVAL.
 */
int iscsit_portal_del(const char *text)
{
	struct iscsit_portal *portal;

	mutex_lock(&iscsit_mutex);
	portal = iscsit_default_portals ? NULL : iscsit_portal_find(text);
	if (portal)
		iscsit_portal_free(portal);
	if (portal && list_empty(&iscsit_portals))
		iscsit_portals_default();
	mutex_unlock(&iscsit_mutex);
	if (portal)
		return 0;
	pr_err("skua_iscsi: no portal %s was added\n", text);
	return -EINVAL;
}

/* Module init: the default ones. They listen as soon as movers register. */
void iscsit_portals_init(void)
{
	mutex_lock(&iscsit_mutex);
	iscsit_portals_default();
	mutex_unlock(&iscsit_mutex);
}

/* Module exit; all movers have left. */
void iscsit_portals_exit(void)
{
	mutex_lock(&iscsit_mutex);
	iscsit_portals_clear();
	mutex_unlock(&iscsit_mutex);
}
