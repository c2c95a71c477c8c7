// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets that listen. A connection request wakes a work item, which accepts what is
 * there and goes; no thread waits.
 */
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "tcp.h"

#define ITCP_BACKLOG	512

struct itcp_listener {
	struct socket *sock;
	struct work_struct work;
	void (*old_data_ready)(struct sock *sk);
};

static void itcp_listen_ready(struct sock *sk)
{
	struct itcp_listener *listener;

	read_lock_bh(&sk->sk_callback_lock);
	listener = sk->sk_user_data;
	if (listener && sk->sk_state == TCP_LISTEN)
		queue_work(iscsit_wq, &listener->work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void itcp_accept_work(struct work_struct *work)
{
	struct itcp_listener *listener = container_of(work, struct itcp_listener, work);
	struct socket *sock;

	while (!kernel_accept(listener->sock, &sock, O_NONBLOCK))
		if (itcp_accept(sock, listener->old_data_ready))
			sock_release(sock);
}

static struct socket *itcp_bind(const struct sockaddr_storage *addr)
{
	bool v6 = addr->ss_family == AF_INET6;
	struct sockaddr_storage copy = *addr;
	struct socket *sock;
	int ret;

	ret = sock_create_kern(&init_net, addr->ss_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ERR_PTR(ret);
	sock->sk->sk_reuse = SK_CAN_REUSE;
	if (v6)
		ip6_sock_set_v6only(sock->sk);
	ret = kernel_bind(sock, (struct sockaddr_unsized *)&copy,
			  v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	if (ret) {
		sock_release(sock);
		return ERR_PTR(ret);
	}
	return sock;
}

/* Its callback and work item do not run any more. */
static void itcp_listener_free(struct itcp_listener *listener)
{
	struct sock *sk = listener->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = listener->old_data_ready;
	sk->sk_user_data = NULL;
	write_unlock_bh(&sk->sk_callback_lock);
	cancel_work_sync(&listener->work);
	sock_release(listener->sock);
	kfree(listener);
}

void *itcp_listen(const struct sockaddr_storage *addr)
{
	struct itcp_listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	struct sock *sk;
	int ret;

	if (!listener)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&listener->work, itcp_accept_work);
	listener->sock = itcp_bind(addr);
	if (IS_ERR(listener->sock)) {
		ret = PTR_ERR(listener->sock);
		kfree(listener);
		return ERR_PTR(ret);
	}
	sk = listener->sock->sk;
	write_lock_bh(&sk->sk_callback_lock);
	listener->old_data_ready = sk->sk_data_ready;
	sk->sk_user_data = listener;
	sk->sk_data_ready = itcp_listen_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	ret = kernel_listen(listener->sock, ITCP_BACKLOG);
	if (!ret)
		return listener;
	itcp_listener_free(listener);
	return ERR_PTR(ret);
}

void itcp_unlisten(void *cookie)
{
	itcp_listener_free(cookie);
}
