/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SRP target: what its files share.
 *
 *	main.c		module, parameters, the transport's table
 *	target.c	targets: configured for as long as the module is loaded
 *	device.c	RDMA devices and ports that come and go; ports find their targets
 *	login.c, iu.c	wire formats (pure, see iu.h)
 *	channel.c	an RDMA channel's life: login, resources, end
 *	cm_rdma.c, cm_ib.c	the two connection managers
 *	recv.c		from receive completion to skua_cmd_submit()
 *	cmd.c		data transfer and responses
 *	mad.c		device management agent
 *	attrs.c		files of the tree
 *
 * Locks, outer to inner: srpt_mutex (devices, ports, targets and who serves
 * whom); target->login (one login at a time, channel list); rdma.dev->lock;
 * ch->lock, conn->lock (leaves). The I/O path takes the leaves only.
 */
#ifndef SKUA_SRPT_H
#define SKUA_SRPT_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "skua.h"
#include "../rdma/rdma.h"
#include "iu.h"

#define SRPT_NAME_LEN		40	/* a GID or IPv6 address in text, with NUL */
#define SRPT_MAX_VECTORS	256
#define SRPT_PORT_ID_LEN	64
#define SRPT_SPARE_RECVS	4	/* for IUs that take no credit: logout, CRED_RSP */
#define SRPT_RSP_HDR		36	/* SRP_RSP without sense data */
#define SRPT_KEPT_DESCS		16	/* descriptors that a slot has room for */

struct srpt_chan;
struct srpt_port;

/* ---- targets, ports, devices ------------------------------------------ */

/**
 * struct srpt_target - a target port as configured; never goes before the module
 * @link: srpt_targets
 * @tgt: the core's
 * @name: GID in text
 * @gid: the same
 * @port: the RDMA port that serves it now, or NULL; under srpt_mutex
 * @dev_name, @link_layer: of the port that serves or served it
 * @lock: @port_id, @vectors, @next_vector
 * @port_id: identification string
 * @vectors: completion vectors to use, @nr_vectors bits
 * @login: serializes logins; @chans
 * @chans: channels from login to the end
 */
struct srpt_target {
	struct list_head link;
	struct skua_tgt *tgt;
	char name[SRPT_NAME_LEN];
	union ib_gid gid;
	struct srpt_port *port;
	char dev_name[IB_DEVICE_NAME_MAX];
	enum rdma_link_layer link_layer;
	spinlock_t lock;		/* down to next_vector */
	char port_id[SRPT_PORT_ID_LEN];
	DECLARE_BITMAP(vectors, SRPT_MAX_VECTORS);
	unsigned int nr_vectors;
	unsigned int next_vector;
	struct mutex login;		/* one at a time; chans */
	struct list_head chans;
};

struct srpt_device;

/**
 * struct srpt_port - a port of an RDMA device
 * @target: what it serves, or NULL while its GID is not known; under srpt_mutex
 * @agent: device management, or NULL
 * @refresh: after events: look at the GID again
 * @down: ends the sessions of a port that stays down
 */
struct srpt_port {
	struct srpt_device *dev;
	u32 num;
	struct srpt_target *target;
	struct ib_mad_agent *agent;
	bool cap_set;
	struct work_struct refresh;
	struct delayed_work down;
};

/**
 * struct srpt_device - an RDMA device
 * @rdma: its refs keep this memory
 * @link: srpt_devices, under srpt_mutex
 * @listener: IB/CM, or NULL
 * @srq, @srq_recvs, @srq_size: shared receive queue, if use_srq
 */
struct srpt_device {
	struct skua_rdma_dev rdma;
	struct list_head link;
	struct ib_event_handler events;
	struct ib_cm_id *listener;
	struct ib_srq *srq;
	struct srpt_recv *srq_recvs;
	u32 srq_size;
	u32 nr_ports;
	struct srpt_port ports[];
};

/* ---- channels --------------------------------------------------------- */

/**
 * struct srpt_recv - a receive buffer
 * @ch: its channel; NULL in a shared receive queue
 * @buf, @dma: srp_max_req_size bytes
 * @len: bytes received
 * @link: ch->pending
 */
struct srpt_recv {
	struct ib_cqe cqe;
	struct srpt_chan *ch;
	void *buf;
	u64 dma;
	u32 len;
	struct list_head link;
};

/* What a slot's transfer is for. */
enum srpt_phase {
	SRPT_FETCH,		/* write data */
	SRPT_SEND,		/* read data, then the response */
	SRPT_TABLE,		/* descriptors, then one of the others */
};

/**
 * struct srpt_slot - a command or task management request on its way
 * @cmd, @tmf: the core's part
 * @recv: where its IU is; NULL once that was posted again
 * @iu: its bytes, to be read while @recv is ours and the connection entered; or @descs
 * @is_tmf: @tmf is in use, else @cmd
 * @submitted: the core has it
 * @phase: of @xfer
 * @out, @in: the IU's data buffers; offsets are from @iu
 * @descs: copied from the IU, so that @recv could be posted again
 * @table, @table_size, @table_desc, @table_sg: descriptors that are fetched, or NULL
 * @rsp, @rsp_dma: response IU, max_rsp bytes
 */
struct srpt_slot {
	struct skua_cmd cmd;
	struct srpt_chan *ch;
	struct list_head link;
	struct srpt_recv *recv;
	void *iu;
	bool is_tmf;
	bool submitted;
	u8 phase;
	struct srpt_buf out, in;
	u8 descs[SRPT_KEPT_DESCS * SRPT_DESC_LEN];
	void *table;
	u32 table_size;
	struct skua_rdma_desc table_desc;
	struct scatterlist table_sg;
	struct skua_rdma_post post;
	struct ib_cqe rw_cqe, send_cqe;
	struct ib_send_wr send_wr;
	struct ib_sge send_sge;
	void *rsp;
	u64 rsp_dma;
	struct skua_tmf tmf;
	struct skua_rdma_xfer xfer;
};

/* Outlives the channel if a backend keeps a command: see skua_queue_orphan(). */
struct srpt_queue {
	struct skua_queue queue;
	struct srpt_chan *ch;
	struct srpt_slot slots[];
};

/*
 * SETUP: login in progress. DOOMED: close was asked for meanwhile. From CLOSING on
 * the close work owns the channel.
 */
enum srpt_state {
	SRPT_SETUP,
	SRPT_DOOMED,
	SRPT_CONNECTING,
	SRPT_LIVE,
	SRPT_CLOSING,
	SRPT_DRAINING,
	SRPT_CLOSED,
};

/**
 * struct srpt_cm_ops - what differs between the connection managers
 * @create_qp: make conn->qp, in INIT state
 * @accept: send the login response
 * @disconnect: tell the peer, if it does not know
 * @destroy_qp, @destroy_id: no event comes after the latter
 */
struct srpt_cm_ops {
	int (*create_qp)(struct skua_rdma_conn *conn, struct ib_qp_init_attr *attr, void *arg);
	int (*accept)(struct srpt_chan *ch, const struct srp_login_rsp *rsp);
	void (*disconnect)(struct srpt_chan *ch);
	void (*notify)(struct srpt_chan *ch);
	void (*destroy_qp)(struct skua_rdma_conn *conn);
	void (*destroy_id)(struct srpt_chan *ch);
};

/**
 * struct srpt_chan - an RDMA channel
 * @refs: one for the close work (or the login), one for the core's queue
 * @state: enum srpt_state
 * @half_open: counted in srpt_half_open
 * @gone: the peer has gone or knows that we have
 * @lock: @free, @pending
 * @free: slots
 * @pending: receive buffers that wait for a slot
 * @req_lim: requests the initiator may still send
 * @delta: credits to return with the next response
 */
struct srpt_chan {
	struct skua_rdma_conn conn;
	struct kref refs;
	atomic_t state;
	unsigned int half_open;
	bool attached;
	u16 imm_off;
	u32 max_req;
	u32 max_rsp;
	u32 credits;
	const struct srpt_cm_ops *cm;
	union {
		struct rdma_cm_id *rdma_id;
		struct ib_cm_id *ib_id;
	};
	u8 initiator_depth, responder_resources;
	struct completion gone;
	struct srpt_device *dev;
	struct srpt_target *target;
	struct list_head link;			/* target->chans */
	struct list_head all;			/* srpt_chans */
	struct srpt_queue *q;
	u32 nr_slots;
	struct srpt_recv *recvs;
	u32 nr_recvs;
	spinlock_t lock;		/* free, pending */
	struct list_head free;
	struct list_head pending;
	atomic_t req_lim;
	atomic_t delta;
	struct delayed_work login_timer;
	struct work_struct close_work;
	struct work_struct free_work;
	u8 iport[16];
	char name[SRPT_NAME_LEN];
};

static inline struct srpt_chan *srpt_conn_chan(struct skua_rdma_conn *conn)
{
	return container_of(conn, struct srpt_chan, conn);
}

/**
 * struct srpt_conn_req - a connection request, whichever CM it came by
 * @ib, @port: where
 * @cm, @id: the manager and its id
 * @data, @len, @rdma_cm: private data
 * @name: session name
 * @initiator_depth, @responder_resources: what the peer allows
 */
struct srpt_conn_req {
	struct ib_device *ib;
	u32 port;
	const struct srpt_cm_ops *cm;
	void *id;
	const void *data;
	u32 len;
	bool rdma_cm;
	char name[SRPT_NAME_LEN];
	u8 initiator_depth, responder_resources;
};

/* main.c */
extern struct skua_driver *srpt_driver;
extern struct workqueue_struct *srpt_wq;
extern struct mutex srpt_mutex;
extern u64 srpt_service_guid;
extern unsigned int srpt_max_req_size, srpt_max_rsp_size, srpt_max_rdma_size, srpt_sq_size,
	srpt_srq_size;
extern bool srpt_use_srq;

/* target.c */
struct srpt_target *srpt_target_serve(struct srpt_port *port, const union ib_gid *gid);
void srpt_target_leave(struct srpt_port *port);
int srpt_target_vector(struct srpt_target *target);
void srpt_targets_unregister(void);

/* device.c */
int srpt_devices_init(void);
void srpt_devices_exit(void);
struct srpt_target *srpt_port_get(struct ib_device *ib, u32 num, struct srpt_device **dev);
void srpt_device_put(struct srpt_device *dev);

/* channel.c */
struct srpt_chan *srpt_login(const struct srpt_conn_req *req, u32 *reason, u64 *tag);
void srpt_chan_close(struct srpt_chan *ch);
void srpt_chan_established(struct srpt_chan *ch);
void srpt_chan_gone(struct srpt_chan *ch);
void srpt_conn_close(struct skua_rdma_conn *conn);
void srpt_chan_get(struct srpt_chan *ch);
void srpt_chan_put(struct srpt_chan *ch);
void srpt_chans_wait(void);
const char *srpt_state_name(const struct srpt_chan *ch);
void srpt_login_rej(struct srp_login_rej *rej, u32 reason, u64 tag);

/* recv.c */
int srpt_post_recv(struct srpt_chan *ch, struct srpt_recv *recv);
void srpt_recv_init(struct srpt_recv *recv);
void srpt_recvs_reclaim(struct srpt_chan *ch);
void srpt_slot_share(struct srpt_slot *slot);
void srpt_slot_put(struct srpt_slot *slot);
int srpt_recvs_alloc(struct ib_device *ib, struct srpt_recv *recvs, u32 nr);
void srpt_recvs_unmap(struct ib_device *ib, struct srpt_recv *recvs, u32 nr);
void srpt_recvs_free(struct srpt_recv *recvs, u32 nr);

/* cmd.c */
void srpt_slot_init(struct srpt_slot *slot);
void srpt_start(struct skua_cmd *cmd, bool may_sleep);
void srpt_respond(struct skua_cmd *cmd);
void srpt_respond_tmf(struct skua_tmf *tmf);
void srpt_refuse(struct srpt_slot *slot);

/* cm_rdma.c, cm_ib.c */
int srpt_rdma_listen(u16 port);
void srpt_rdma_unlisten(void);
int srpt_ib_listen(struct srpt_device *dev);
void srpt_ib_unlisten(struct srpt_device *dev);

/* mad.c */
void srpt_mad_register(struct srpt_port *port);
void srpt_mad_unregister(struct srpt_port *port);

/* attrs.c */
extern const struct skua_attr *const srpt_tgt_attrs[];
extern const struct skua_attr *const srpt_sess_attrs[];

#endif
