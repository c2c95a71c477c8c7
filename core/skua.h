/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Skua's public interface: all that a transport or a backend may use.
 *
 * A transport embeds struct skua_cmd in each slot of a connection's fixed slot
 * array and drives a command through five points:
 *
 *	skua_cmd_submit()     fill in cdb, lun, tag, edtl, direction, attribute; call
 *	ops->start()          only if there is write data to fetch: the gate let it
 *			      pass and its buffer (io.sg) is there:
 *	                      fetch xfer_len bytes of write data if data_dir says so
 *	skua_cmd_execute()    the data has arrived, or there is none to fetch; say
 *			      whether the calling context may sleep
 *	ops->respond()        exactly once: send io.sg (reads) and the status
 *	skua_cmd_release()    the response has left; the slot is the transport's again
 *
 * A backend moves bytes of one device: it sees struct skua_io and struct
 * skua_dev, never a CDB, sense data or a session. One that passes whole commands to a
 * device (exec_cdb) is the exception.
 */
#ifndef SKUA_H
#define SKUA_H

#include <linux/atomic.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <scsi/scsi.h>

#define SKUA_VERSION		"0.1.0"

#define SKUA_MAX_CDB		32	/* longest CDB served, bytes */
#define SKUA_SENSE_LEN		96	/* room for sense data, bytes */
#define SKUA_MAX_NAME		256	/* initiator, target and group names, with NUL */
#define SKUA_MAX_DEV_NAME	65	/* device names, with NUL */
#define SKUA_MAX_LUN		16383
#define SKUA_MAX_TRANSPORT_ID	228
#define SKUA_MAX_KEY		232	/* tells initiator ports apart: iSCSI name, ISID */
#define SKUA_MAX_XFER		(32U << 20)	/* bytes in one command, at most */
#define SKUA_INLINE_SG		6
#define SKUA_IO_PRIV		384	/* bytes of backend scratch in each I/O */

struct skua_backend;
struct skua_cdb_op;
struct skua_cmd;
struct skua_dev;
struct skua_driver;
struct skua_group;
struct skua_lun_table;
struct skua_nexus;
struct skua_queue;
struct skua_session;
struct skua_sgv;
struct skua_tgt;
struct skua_tmf;

/* ---- attributes ------------------------------------------------------- */

/**
 * struct skua_attr - one file of the tree
 * @attr: name and mode
 * @show: fill @buf (a page), return the length; runs without any Skua lock,
 *	must not wait for I/O
 * @store: one write; return @len or -errno; may sleep
 * @arg: for show and store functions that serve several files
 *
 * @obj is the object whose directory holds the file: a struct skua_driver,
 * skua_tgt, skua_session, skua_dev ..., by the table the attribute is in.
 */
struct skua_attr {
	struct attribute attr;
	ssize_t (*show)(void *obj, const struct skua_attr *attr, char *buf);
	ssize_t (*store)(void *obj, const struct skua_attr *attr, const char *buf,
			 size_t len);
	unsigned long arg;
};

int skua_bad_value(const void *obj, const struct skua_attr *attr, const char *buf, int error);

/* The grammar of commands and their parameters, see core/words.c */
char *skua_next_word(char **text);
int skua_next_param(char **text, char **name, char **value);
void skua_log_param(const char *where, const char *name, const char *value);

/* ---- backends --------------------------------------------------------- */

enum skua_io_op {
	SKUA_IO_READ,
	SKUA_IO_WRITE,
	SKUA_IO_FLUSH,			/* pos and len name the range; all of it may be flushed */
	SKUA_IO_UNMAP,
	SKUA_IO_WRITE_ZEROES,
};

enum {
	SKUA_IO_FUA	  = 1 << 0,	/* on stable storage before done() */
	SKUA_IO_OWN_PAGES = 1 << 1,	/* sg came from ops->get_pages() of this device */
	SKUA_IO_KEEP_MAP  = 1 << 2,	/* write zeroes without deallocating */
};

/**
 * struct skua_io - one operation on a device
 * @dev: the device
 * @op: enum skua_io_op
 * @flags: SKUA_IO_*
 * @nr_sg: entries in @sg
 * @pos: first byte, a multiple of the block size, inside the device
 * @len: bytes, a multiple of the block size, not past the device's end; the
 *	entries of @sg sum up to it for reads and writes
 * @sg: the data; not chained
 * @done: called exactly once by the backend through skua_io_done(), in any
 *	context, 0 or -errno
 * @inline_sg: for the user of @sg
 * @priv: the backend's while the I/O runs
 */
struct skua_io {
	struct skua_dev *dev;
	u8 op;
	u8 flags;
	u32 nr_sg;
	u64 pos;
	u64 len;
	struct scatterlist *sg;
	void (*done)(struct skua_io *io, int error);
	struct scatterlist inline_sg[SKUA_INLINE_SG];
	u8 priv[SKUA_IO_PRIV] __aligned(8);
};

/**
 * skua_io_done() - end an I/O
 * @io: the I/O; not the backend's any more
 * @error: 0; -EIO medium error; -ENODEV the medium is gone (NOT READY);
 *	-ENOSPC thin space exhausted; -ENOMEM try again (BUSY); -EROFS write
 *	protected; -EOPNOTSUPP; -EBADE reservation conflict; others count as -EIO
 *
 * Context: any.
 */
static inline void skua_io_done(struct skua_io *io, int error)
{
	io->done(io, error);
}

/* Bits for struct skua_backend.params: which words add_device takes. */
enum skua_param {
	SKUA_P_FILENAME, SKUA_P_BLOCKSIZE, SKUA_P_SIZE, SKUA_P_SIZE_MB,
	SKUA_P_READ_ONLY, SKUA_P_REMOVABLE, SKUA_P_ROTATIONAL,
	SKUA_P_WRITE_THROUGH, SKUA_P_NV_CACHE, SKUA_P_O_DIRECT, SKUA_P_ASYNC,
	SKUA_P_THIN, SKUA_P_ACTIVE, SKUA_P_TST, SKUA_P_T10_DEV_ID,
	SKUA_P_NUMA_NODE, SKUA_P_DUMMY, SKUA_P_NR
};

#define SKUA_P(x)	(1U << SKUA_P_##x)

/**
 * struct skua_dev_config - what add_device was told
 * @given: SKUA_P() bits of the parameters that were named
 * @filename: absolute path, or NULL
 * @block_size: bytes, power of two, 512 to 4096
 * @size: bytes; 0 when not given
 * @numa_node: where memory for commands comes from; NUMA_NO_NODE
 * @read_only: refuse writes
 * @removable: as INQUIRY says it
 * @rotational: the same of page B1h
 * @write_through: no volatile cache: writes are safe when they end
 * @nv_cache: the volatile cache of the medium counts as a safe one
 * @o_direct: past the page cache
 * @async: without a thread for each I/O
 * @thin: thin provisioning, if given; else the backend decides and sets limits.thin
 * @active: open the medium
 * @dummy: initiators find no logical unit
 * @tst: task set type of the control mode page
 * @t10_dev_id: for designators, "" for the generated one
 *
 * Read-only for backends.
 */
struct skua_dev_config {
	u32 given;
	char *filename;
	u32 block_size;
	u64 size;
	int numa_node;
	bool read_only, removable, rotational, write_through, nv_cache;
	bool o_direct, async, thin, active, dummy;
	u8 tst;
	char t10_dev_id[26];
};

/**
 * struct skua_limits - what open() and refresh() say of a device
 * @nr_blocks: capacity in logical blocks; 0 if there is no medium
 * @phys_block_exp: log2 of logical blocks per physical block
 * @lowest_aligned: lowest aligned LBA
 * @opt_blocks: optimal transfer length, blocks; 0 unknown
 * @opt_granularity: optimal transfer length granularity, blocks; 0 unknown
 * @max_unmap_blocks: most blocks in one UNMAP; 0: no unmap
 * @unmap_granularity: blocks
 * @unmap_alignment: blocks
 * @max_ws_blocks: most blocks for one write_zeroes call; 0 if it has none
 * @thin: logical block provisioning management enabled (LBPME)
 * @unmap_zeroes: reads of unmapped blocks return zeroes (LBPRZ)
 * @write_cache: there is a volatile write cache
 * @fua: the backend does FUA writes itself (else the core flushes)
 * @read_only: the medium is write protected
 * @rotational: spins
 * @max_xfer: bytes in one command that a pass-through device takes; 0: as all others
 */
struct skua_limits {
	u64 nr_blocks;
	u8 phys_block_exp;
	u16 lowest_aligned;
	u32 opt_blocks;
	u32 opt_granularity;
	u32 max_unmap_blocks;
	u32 unmap_granularity;
	u32 unmap_alignment;
	u32 max_ws_blocks;
	u32 max_xfer;
	bool thin, unmap_zeroes, write_cache, fua, read_only, rotational;
};

enum {
	SKUA_BE_MAY_BLOCK = 1 << 0,	/* rw and the other verbs need process context */
	SKUA_BE_SOLID	  = 1 << 1,	/* rotational is 0 unless add_device says 1 */
	SKUA_BE_SIZE_FIXED = 1 << 2,	/* files that show the size can't be written */
};

/**
 * struct skua_backend - a backend's table
 * @name: handler name in the tree
 * @owner: module
 * @flags: SKUA_BE_*
 * @params: SKUA_P() bits that add_device accepts
 * @vendor_id: T10 vendor identification, 8 characters at most
 * @default_size: bytes, for backends with SKUA_P(SIZE); 0: size is required
 * @priv_size: bytes of dev->priv
 * @attrs: NULL-terminated array of further device attributes, or NULL; @obj is
 *	the struct skua_dev
 * @open: make dev->limits and dev->priv ready from dev->config; process
 *	context, no core lock held, may block; logs and returns -errno on failure
 * @close: undo open; process context; no I/O is running, none will come
 * @rw: start a read or write. With SKUA_IO_OWN_PAGES the transfer has been (or
 *	will be) done by the transport, so it only completes. Without
 *	SKUA_BE_MAY_BLOCK it must not sleep.
 * @get_pages: lend the device's own pages for [pos, pos + len): fill io->sg
 *	(io->inline_sg while it fits) and io->nr_sg. -EAGAIN: needs to sleep
 *	(only if !may_sleep); -EOPNOTSUPP: no, use other pages; -ENOMEM,
 *	-ENOSPC.... Called after all checks.
 * @put_pages: return them; any context
 * @flush: SKUA_IO_FLUSH
 * @unmap: SKUA_IO_UNMAP, deallocate. Not called unless limits.max_unmap_blocks.
 * @write_zeroes: SKUA_IO_WRITE_ZEROES. Not called unless limits.max_ws_blocks.
 * @refresh: read the medium's size and limits anew into @limits; process context
 *
 * All verbs end through skua_io_done(), inline or later.
 *
 * A pass-through backend has these instead of rw and the verbs after it:
 *
 * @exec_cdb: carry cmd->cdb, with io.len bytes of io.sg as io.op says, to the device.
 *	Ends in skua_cdb_done(), skua_cdb_error() or skua_cdb_reply(), inline or later;
 *	process context
 * @aborted: some of its commands are being aborted, see skua_cmd_aborting(): end them
 *	soon if possible. Called again while they are there; must not wait
 * @reset: start a reset of the device that ends in skua_dev_reset_done(); must not wait
 * @link_to: optional: what a link in the device's directory points to
 * @link_name: the link's name
 */
struct skua_backend {
	const char *name;
	struct module *owner;
	unsigned int flags;
	u32 params;
	const char *vendor_id;
	u64 default_size;
	size_t priv_size;
	const struct skua_attr *const *attrs;

	int (*open)(struct skua_dev *dev);
	void (*close)(struct skua_dev *dev);
	void (*rw)(struct skua_io *io);

	int (*get_pages)(struct skua_io *io, bool may_sleep);
	void (*put_pages)(struct skua_io *io);
	void (*flush)(struct skua_io *io);
	void (*unmap)(struct skua_io *io);
	void (*write_zeroes)(struct skua_io *io);
	int (*refresh)(struct skua_dev *dev, struct skua_limits *limits);

	void (*exec_cdb)(struct skua_cmd *cmd);
	void (*aborted)(struct skua_dev *dev);
	void (*reset)(struct skua_dev *dev);
	struct kobject *(*link_to)(struct skua_dev *dev);
	const char *link_name;

	/* private: the core's */
	struct kobject *kobj;
	struct list_head link;
};

int skua_backend_register(struct skua_backend *be);
void skua_backend_unregister(struct skua_backend *be);

const char *skua_dev_name(const struct skua_dev *dev);
const struct skua_dev_config *skua_dev_config(const struct skua_dev *dev);
struct skua_limits *skua_dev_limits(struct skua_dev *dev);
void *skua_dev_priv(struct skua_dev *dev);
void skua_dev_changed(struct skua_dev *dev);
void skua_dev_set_online(struct skua_dev *dev, bool online);
void skua_dev_lost(struct skua_dev *dev);

/* Of pass-through backends */
void skua_cdb_done(struct skua_cmd *cmd, u8 status, const u8 *sense, u32 sense_len, u32 resid);
void skua_cdb_error(struct skua_cmd *cmd, int error);
void skua_cdb_reply(struct skua_cmd *cmd, const void *data, u32 len);
void skua_dev_set_block_size(struct skua_dev *dev, u32 bytes);
void skua_dev_reset_done(struct skua_dev *dev, int error);

/* Page vectors for data (sgv.c); also what tools of the core use. */
struct skua_sgv *skua_sgv_alloc(u32 len, int node, gfp_t gfp);
void skua_sgv_free(struct skua_sgv *sgv);
struct scatterlist *skua_sgv_sg(struct skua_sgv *sgv, u32 *nr);

/* ---- commands --------------------------------------------------------- */

enum skua_dir {
	SKUA_DIR_NONE,
	SKUA_DIR_READ,			/* data-in: target to initiator */
	SKUA_DIR_WRITE,			/* data-out: initiator to target */
	SKUA_DIR_BIDI,
};

enum skua_task_attr {
	SKUA_SIMPLE,
	SKUA_ORDERED,
	SKUA_HEAD_OF_QUEUE,
	SKUA_ACA,
};

/* When a command got where; only while latency is measured (core/latency.h) */
enum {
	SKUA_STAMP_SUBMIT,
	SKUA_STAMP_START,		/* write data are asked for */
	SKUA_STAMP_RUN,
	SKUA_STAMP_DONE,
	SKUA_NR_STAMP
};

enum {
	SKUA_CMD_SILENT	 = 1 << 0,	/* aborted: respond() sends nothing, only releases */
};

/**
 * struct skua_cmd - one SCSI command, embedded in a transport's slot
 * @queue: which it came by
 * @tag: what a task management request names it by
 * @lun: as on the wire
 * @edtl: expected data transfer length, bytes
 * @edtl_dir: enum skua_dir that the transport announced
 * @task_attr: enum skua_task_attr
 * @cdb_len: bytes received, at most SKUA_MAX_CDB; 255 if there were more
 * @cdb: zero padded by the transport
 * @data_dir: enum skua_dir: what to move
 * @status: SAM status
 * @sense_len: bytes of @sense, 0 if there is none
 * @flags: SKUA_CMD_*
 * @xfer_len: bytes to move; io.sg has room for at least as many
 * @residual: @edtl less what the command wanted; above 0 is an underflow
 * @sense: sense data
 *
 * The first group is the transport's to fill in before skua_cmd_submit(), and
 * stays as it is until skua_cmd_release(). The second is the core's, read by
 * the transport in start() and respond(). The rest is the core's own.
 */
struct skua_cmd {
	/* in */
	struct skua_queue *queue;
	u64 tag;
	struct scsi_lun lun;
	u32 edtl;
	u8 edtl_dir;
	u8 task_attr;
	u8 cdb_len;
	u8 cdb[SKUA_MAX_CDB];

	/* out */
	u8 data_dir;
	u8 status;
	u8 sense_len;
	u8 flags;
	u32 xfer_len;
	s64 residual;
	u8 sense[SKUA_SENSE_LEN];

	/* private: the core's own, but that transports use io.sg and io.nr_sg */
	u8 ctl;				/* SKUA_CTL_*, see core/priv.h */
	u8 ua_asc, ua_ascq;
	atomic_t state;			/* generation and SKUA_ST_*, see core/priv.h */
	u32 data_len;			/* bytes that the CDB asks for */
	const struct skua_cdb_op *op;
	struct skua_nexus *nexus;
	void (*resume)(struct skua_cmd *cmd, bool may_sleep);
	struct work_struct work;
	struct list_head held;
	struct skua_sgv *sgv;		/* data pages from the cache */
	void *buf;			/* linear parameter data */
	u32 buf_len;
	void *ctx;			/* of commands made of several I/Os */
	u64 stamp[SKUA_NR_STAMP];	/* ns; see SKUA_CTL_TIMED */
	struct skua_io io;
};

/**
 * struct skua_tmf - a task management request, embedded in a transport's slot
 * @queue: which it came by; this and the next three are filled in by the transport
 * @lun: as on the wire
 * @tag: of the task, for abort and query
 * @function: enum skua_tmf_function
 * @response: enum skua_tmf_response, for respond_tmf()
 */
struct skua_tmf {
	struct skua_queue *queue;
	struct scsi_lun lun;
	u64 tag;
	u8 function;
	u8 response;

	/* private: the core's own */
	struct delayed_work work;
	unsigned long deadline;
	unsigned int pause;
	u32 state;
	struct skua_cmd *victim;
	const struct skua_nexus *nexus;	/* to compare with only */
};

enum skua_tmf_function {
	SKUA_TMF_ABORT_TASK,
	SKUA_TMF_ABORT_TASK_SET,
	SKUA_TMF_CLEAR_TASK_SET,
	SKUA_TMF_LUN_RESET,
	SKUA_TMF_TARGET_RESET,
	SKUA_TMF_NEXUS_LOSS,
	SKUA_TMF_CLEAR_ACA,
	SKUA_TMF_QUERY_TASK,
};

enum skua_tmf_response {
	SKUA_TMF_COMPLETE,		/* function complete */
	SKUA_TMF_SUCCEEDED,		/* function succeeded: QUERY TASK found the task */
	SKUA_TMF_NO_LUN,		/* incorrect logical unit number */
	SKUA_TMF_NOT_SUPPORTED,
	SKUA_TMF_FAILED,		/* not done in time, or refused */
};

int skua_cmd_submit(struct skua_cmd *cmd);
void skua_cmd_execute(struct skua_cmd *cmd, bool may_sleep);
void skua_cmd_transfer_failed(struct skua_cmd *cmd);
void skua_cmd_release(struct skua_cmd *cmd);
void skua_cmd_hop(struct skua_cmd *cmd, void (*fn)(struct skua_cmd *cmd, bool may_sleep));
bool skua_cmd_aborting(const struct skua_cmd *cmd);
int skua_tmf_submit(struct skua_tmf *tmf);
void skua_tmf_release(struct skua_tmf *tmf);

/* ---- transports ------------------------------------------------------- */

enum {
	SKUA_QUEUE_ATOMIC = 1 << 0,	/* submits and executes from softirq context */
};

/**
 * struct skua_queue - one connection or channel of a session
 * @session: set by skua_queue_attach()
 * @flags: SKUA_QUEUE_*
 * @cpu: where work of this queue is queued; WORK_CPU_UNBOUND if anywhere
 * @slots: first struct skua_cmd of the slot array
 * @stride: bytes from one struct skua_cmd to the next
 * @nr_slots: how many
 * @drained: called once, in process context, when the queue is killed and no
 *	command or task management request of it is left: the core has let go of
 *	the queue and of its reference to the session, the transport frees it
 *
 * Embedded in the transport's connection. The transport zeroes the slots
 * before skua_queue_attach().
 */
struct skua_queue {
	struct skua_session *session;
	unsigned int flags;
	int cpu;
	void *slots;
	size_t stride;
	u32 nr_slots;
	void (*drained)(struct skua_queue *queue);

	/* private: the core's own */
	const struct skua_transport *ops;
	struct percpu_ref ref;
	struct list_head link;		/* session->queues */
	atomic_t killed;
	struct work_struct dead_work;
	void *orphan;			/* see skua_queue_orphan() */
};

/**
 * struct skua_session_params - what a login says
 * @initiator: name as the tree and group patterns see it
 * @key: identifies the I_T nexus within the target: logins with the same key are the
 *	same initiator port
 * @key_len: bytes of @key
 * @transport_id: SPC TransportID of the initiator port, padded to 4 bytes
 * @transport_id_len: bytes of it
 * @join: take another queue into the session with this key if one is alive
 * @link_name: optional: name of a symbolic link in the session's directory
 * @link_to: the kobject that it points to
 * @dir_name: optional: name of a subdirectory of the session's directory
 * @dir_attrs: its files, whose object is the session; NULL-terminated
 * @priv: the transport's, kept in a new session (see skua_session_priv())
 */
struct skua_session_params {
	const char *initiator;
	const void *key;
	u32 key_len;
	const u8 *transport_id;
	u32 transport_id_len;
	bool join;
	const char *link_name;
	struct kobject *link_to;
	const char *dir_name;
	const struct skua_attr *const *dir_attrs;
	void *priv;
};

/**
 * struct skua_transport - a transport's table
 * @name: driver name in the tree
 * @owner: module
 * @protocol: SPC PROTOCOL IDENTIFIER
 * @max_lun_sg: reported as sg_tablesize
 * @no_enable: targets have no "enabled" file and work at once
 * @drv_attrs: files of the driver, a NULL-terminated array, or NULL
 * @tgt_attrs: the same for each target
 * @sess_attrs: the same for each session
 * @tgt_params: comma separated parameters of add_target, or NULL
 * @start: see above. @may_sleep: in process context. Buffers: io.sg, io.nr_sg.
 * @respond: any context, must not sleep, once per accepted command
 * @respond_tmf: the same for task management; ends in skua_tmf_release()
 * @close_queue: start to disconnect; idempotent, never waits; any context that
 *	may sleep. Ends in skua_queue_kill().
 * @add_target: optional: make a target by the command add_target. @params is
 *	"name=value;..." or empty, modifiable. Ends up calling
 *	skua_tgt_register(); process context, no core lock held.
 * @del_target: optional: undo; no new session can begin. Ends up calling
 *	skua_tgt_unregister(), which closes the sessions that are left
 * @drv_cmd: optional: further commands of the driver's mgmt file; @words is the
 *	text after the command word; -ENOIOCTLCMD for an unknown one
 * @drv_help: optional: text about these for readers of the file
 * @aborted: optional: commands of @queue were aborted: end those for which
 *	skua_cmd_aborting() holds and that wait for the initiator's data, which it may
 *	never send. Any context, must not sleep
 * @luns_changed: optional: the initiator should look at its LUNs again; process
 *	context, a core lock is held: must not wait
 * @group_gone: optional: an initiator group was deleted, its directory is gone;
 *	process context
 */
struct skua_transport {
	const char *name;
	struct module *owner;
	u8 protocol;
	u32 max_lun_sg;
	bool no_enable;
	const struct skua_attr *const *drv_attrs;
	const struct skua_attr *const *tgt_attrs;
	const struct skua_attr *const *sess_attrs;
	const char *tgt_params;

	void (*start)(struct skua_cmd *cmd, bool may_sleep);
	void (*respond)(struct skua_cmd *cmd);
	void (*respond_tmf)(struct skua_tmf *tmf);
	void (*close_queue)(struct skua_queue *queue);
	int (*add_target)(const char *name, char *params);
	int (*del_target)(struct skua_tgt *tgt);
	int (*drv_cmd)(const char *cmd, char *words);
	const char *drv_help;
	void (*aborted)(struct skua_queue *queue);
	void (*luns_changed)(struct skua_session *sess);
	void (*group_gone)(struct skua_tgt *tgt, const char *group);
};

struct skua_driver *skua_driver_register(const struct skua_transport *ops);
void skua_driver_unregister(struct skua_driver *drv);

struct skua_tgt *skua_tgt_register(struct skua_driver *drv, const char *name, void *priv);
void skua_tgt_unregister(struct skua_tgt *tgt);
const char *skua_tgt_name(const struct skua_tgt *tgt);
void *skua_tgt_priv(const struct skua_tgt *tgt);
bool skua_tgt_enabled(const struct skua_tgt *tgt);

/* Files that a transport adds to objects which are there already */
int skua_driver_file_add(struct skua_driver *drv, const struct skua_attr *attr);
void skua_driver_file_del(struct skua_driver *drv, const struct skua_attr *attr);
int skua_tgt_file_add(struct skua_tgt *tgt, const char *group, const struct skua_attr *attr);
void skua_tgt_file_del(struct skua_tgt *tgt, const char *group, const struct skua_attr *attr);
bool skua_match(const char *pattern, const char *name);
void skua_tgt_group_of(struct skua_tgt *tgt, const char *initiator, char *name, size_t size);

struct skua_session *skua_session_get(struct skua_tgt *tgt,
				      const struct skua_session_params *params);
void skua_session_put(struct skua_session *sess);
void *skua_session_priv(const struct skua_session *sess);
const char *skua_session_initiator(const struct skua_session *sess);
struct skua_tgt *skua_session_tgt(const struct skua_session *sess);
struct kobject *skua_session_kobj(struct skua_session *sess);
void skua_session_close(struct skua_session *sess);
void skua_session_close_key(struct skua_tgt *tgt, const void *key, u32 key_len);
void skua_session_for_each_queue(struct skua_session *sess,
				 void (*fn)(struct skua_queue *queue, void *arg), void *arg);

int skua_queue_attach(struct skua_queue *queue, struct skua_session *sess);
void skua_queue_kill(struct skua_queue *queue);
bool skua_queue_orphan(struct skua_queue *queue, void *mem,
		       void (*strip)(struct skua_queue *queue));
bool skua_queue_hold(struct skua_queue *queue);
void skua_queue_unhold(struct skua_queue *queue);

#endif
