// SPDX-License-Identifier: GPL-2.0
/*
 * Portals: sockets that listen. A connection request wakes a work item of the portal,
 * which accepts what is there and goes; no thread waits.
 */
#include <linux/inet.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "iscsit.h"

#define ISCSIT_BACKLOG	256

struct iscsit_portal {
	struct list_head link;
	struct socket *sock;
	struct work_struct work;
	void (*old_data_ready)(struct sock *sk);
	char name[ISCSIT_ADDR_LEN];
};

static LIST_HEAD(iscsit_portals);	/* changed by module init and exit only */

static void iscsit_listen_ready(struct sock *sk)
{
	struct iscsit_portal *portal;

	read_lock_bh(&sk->sk_callback_lock);
	portal = sk->sk_user_data;
	if (portal && sk->sk_state == TCP_LISTEN)
		queue_work(iscsit_wq, &portal->work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void iscsit_accept_work(struct work_struct *work)
{
	struct iscsit_portal *portal = container_of(work, struct iscsit_portal, work);
	struct socket *sock;

	while (!kernel_accept(portal->sock, &sock, O_NONBLOCK))
		if (iscsit_conn_accept(sock, portal->sock, portal->old_data_ready))
			sock_release(sock);
}

static int iscsit_portal_bind(struct iscsit_portal *portal, struct sockaddr_storage *addr)
{
	bool v6 = addr->ss_family == AF_INET6;
	struct socket *sock;
	int ret;

	ret = sock_create_kern(&init_net, addr->ss_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ret;
	sock->sk->sk_reuse = SK_CAN_REUSE;
	if (v6)
		ip6_sock_set_v6only(sock->sk);
	ret = kernel_bind(sock, (struct sockaddr_unsized *)addr,
			  v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	if (ret)
		goto err;
	write_lock_bh(&sock->sk->sk_callback_lock);
	portal->old_data_ready = sock->sk->sk_data_ready;
	sock->sk->sk_user_data = portal;
	sock->sk->sk_data_ready = iscsit_listen_ready;
	write_unlock_bh(&sock->sk->sk_callback_lock);
	portal->sock = sock;
	ret = kernel_listen(sock, ISCSIT_BACKLOG);
	if (ret)
		goto err;
	return 0;

err:
	portal->sock = NULL;
	sock_release(sock);
	return ret;
}

static void iscsit_portal_end(struct iscsit_portal *portal)
{
	struct sock *sk = portal->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = portal->old_data_ready;
	sk->sk_user_data = NULL;
	write_unlock_bh(&sk->sk_callback_lock);
	cancel_work_sync(&portal->work);
	sock_release(portal->sock);
	list_del(&portal->link);
	kfree(portal);
}

/* ADDRESS:PORT or [ADDRESS]:PORT */
static int iscsit_portal_add(char *text)
{
	struct iscsit_portal *portal = kzalloc(sizeof(*portal), GFP_KERNEL);
	struct sockaddr_storage addr;
	char *port;
	int ret;

	if (!portal)
		return -ENOMEM;
	INIT_WORK(&portal->work, iscsit_accept_work);
	strscpy(portal->name, text, sizeof(portal->name));
	port = strrchr(text, ':');
	ret = port ? 0 : -EINVAL;
	if (!ret) {
		*port++ = '\0';
		if (*text == '[') {
			text++;
			text[strcspn(text, "]")] = '\0';
		}
		ret = inet_pton_with_scope(&init_net, AF_UNSPEC, text, port, &addr);
	}
	if (!ret)
		ret = iscsit_portal_bind(portal, &addr);
	if (ret) {
		pr_err("skua_iscsi: portal %s: not listening: %d\n", portal->name, ret);
		kfree(portal);
		return ret;
	}
	list_add_tail(&portal->link, &iscsit_portals);
	return 0;
}

/**
 * iscsit_listen() - open the portals
 * @portals: comma separated; IPv6 addresses in brackets
 *
 * A machine without IPv6 does without those.
 *
 * Return: 0, or the error of the first one that failed.
 */
int iscsit_listen(const char *portals)
{
	char *copy = kstrdup(portals, GFP_KERNEL), *rest = copy, *item;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (item = strsep(&rest, ","))) {
		if (!*item)
			continue;
		ret = iscsit_portal_add(item);
		if (ret == -EAFNOSUPPORT)
			ret = 0;
	}
	kfree(copy);
	if (ret)
		iscsit_unlisten();
	return ret;
}

/**
 * iscsit_unlisten() - close the portals; no connection comes after it
 */
void iscsit_unlisten(void)
{
	struct iscsit_portal *portal, *next;

	list_for_each_entry_safe(portal, next, &iscsit_portals, link)
		iscsit_portal_end(portal);
}
