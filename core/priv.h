/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's own structures. Nothing outside core/ includes this.
 *
 * Locks, outer to inner (Documentation/locking.md has the reasons):
 *	skua_conf	mutex; the configuration: devices, targets, groups, LUN maps,
 *			lists of sessions. Never held over I/O, over a wait for
 *			commands, over kobject_del() or over backend->open()/close().
 *	sess->lock	spinlock; the session's queue list
 *	nexus->lock	spinlock, irqsave; unit attentions, held commands
 *	dev->lock	spinlock, irqsave; mode pages, reservation, identity strings
 * The I/O path takes none of them: LUN tables by RCU, percpu_ref per queue and
 * per nexus.
 */
#ifndef SKUA_PRIV_H
#define SKUA_PRIV_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "skua.h"
#include "cdb.h"
#include "lunfmt.h"
#include "words.h"

#define SKUA_VENDOR_LEN		8
#define SKUA_PROD_LEN		16
#define SKUA_REV_LEN		4
#define SKUA_DEV_ID_LEN		25
#define SKUA_USN_LEN		20
#define SKUA_VEND_SPECIFIC_LEN	128
#define SKUA_SCSI_NAME_LEN	256
#define SKUA_INQ_VENDOR_LEN	160
#define SKUA_NR_UA		8

extern struct mutex skua_conf;
extern struct workqueue_struct *skua_wq;	/* commands that sleep; per CPU, WQ_MEM_RECLAIM */
extern struct workqueue_struct *skua_mgmt_wq;	/* teardown and task management; unbound */
extern struct kobject *skua_root;		/* /sys/kernel/scst_tgt */

/*
 * Something unlinked under skua_conf whose end needs waiting: kobject_del(),
 * a percpu_ref to reach zero, a grace period. skua_reap() runs @fn of each
 * entry once skua_conf is dropped.
 */
struct skua_reap {
	struct list_head link;
	void (*fn)(struct skua_reap *reap);
};

void skua_reap(struct list_head *list);

/* ---- device ----------------------------------------------------------- */

enum { SKUA_MP_CACHING, SKUA_MP_CONTROL, SKUA_MP_CONTROL_EXT, SKUA_MP_IEC, SKUA_NR_MP };
#define SKUA_MP_MAX	36

/* One mode page with its changeable mask; subpage format when @subpage. */
struct skua_mode_page {
	u8 page, subpage, len;			/* len: of @cur, header included */
	u8 cur[SKUA_MP_MAX];
	u8 def[SKUA_MP_MAX];
	u8 mask[SKUA_MP_MAX];
};

/*
 * Identification strings: not NUL terminated beyond their length limits when
 * full, so all arrays have one byte more. @set has a bit for each string that was
 * written by the user ("[key]").
 */
enum skua_ident_field {
	SKUA_ID_VENDOR, SKUA_ID_PROD, SKUA_ID_REV, SKUA_ID_T10_DEV, SKUA_ID_VEND_SPEC,
	SKUA_ID_USN, SKUA_ID_SCSI_NAME, SKUA_ID_EUI64, SKUA_ID_NAA, SKUA_ID_INQ_VENDOR,
};

struct skua_ident {
	u32 set;				/* 1 << enum skua_ident_field */
	char vendor[SKUA_VENDOR_LEN + 1];
	char prod[SKUA_PROD_LEN + 1];
	char rev[SKUA_REV_LEN + 1];
	char t10_dev_id[SKUA_DEV_ID_LEN + 1];
	char vend_specific[SKUA_VEND_SPECIFIC_LEN + 1];
	char usn[SKUA_USN_LEN + 1];
	char scsi_name[SKUA_SCSI_NAME_LEN + 1];
	char inq_vendor[SKUA_INQ_VENDOR_LEN + 1];
	u8 eui64[16], eui64_len;		/* 0, 8, 12 or 16 */
	u8 naa[16], naa_len;			/* 0, 8 or 16 */
};

enum { SKUA_RESET_NONE, SKUA_RESET_RUNS, SKUA_RESET_FAILED };

/**
 * struct skua_dev - a logical unit's medium and identity
 * @kobj: devices/NAME; the object is freed by its release
 * @be: backend
 * @config: parameters of add_device
 * @limits: what the backend says; the core reads with READ_ONCE() where it may change
 * @priv: the backend's
 * @block_shift: log2 of the block size
 * @online: 0: NOT READY (backend gone or inactive)
 * @dead: unlinked from the configuration (written under skua_conf)
 * @nexuses: all I_T_L nexuses of this device, under skua_conf
 * @maps: all LUN map entries of this device, under skua_conf
 * @refs: one for the configuration, one for each nexus and map entry; the last
 *	put closes the backend from skua_mgmt_wq
 * @reserved_by: id of the session that holds the SPC-2 reservation, 0 if none
 * @reset: whether the device is being reset, or the last reset has failed
 * @lost: how often writes that said GOOD were lost, see skua_dev_lost()
 * @lost_at: when the last time was, jiffies
 * @lost_untold: a nexus ended that had not been told, under skua_conf
 */
struct skua_dev {
	struct kobject kobj;
	struct list_head link;			/* skua_devs, under skua_conf */
	char name[SKUA_MAX_DEV_NAME];
	struct skua_backend *be;
	struct skua_dev_config config;
	struct skua_limits limits;
	void *priv;
	u8 block_shift;
	bool online;
	bool dead;
	bool opened;
	bool started;				/* START STOP UNIT */
	bool no_removal;
	bool opt_len_given;			/* opt_trans_len written */
	bool lb_per_pb_exp;
	u32 opt_trans_len;			/* bytes */
	u32 max_cmds;				/* max_tgt_dev_commands */
	struct list_head nexuses;
	struct list_head maps;
	u32 next_export;
	struct kref refs;
	struct completion *closed;		/* whoever waits for the close, under @lock */
	bool close_late;			/* the deleter gave up waiting, under @lock */
	bool creating;				/* not to be found yet */
	bool switching;				/* the medium is being changed, under skua_conf */
	struct work_struct close_work;
	struct skua_reap reap;
	struct kobject *exported;

	spinlock_t lock;
	u64 reserved_by;
	atomic_t reset;				/* SKUA_RESET_*, of a pass-through device */
	atomic_t lost;
	u64 lost_at;
	bool lost_untold;
	struct skua_ident ident;
	struct skua_mode_page mp[SKUA_NR_MP];
	bool swp;				/* copy of the control page's SWP, READ_ONCE */
	u32 pr_generation;
};

/* ---- targets, groups, LUN maps ---------------------------------------- */

struct skua_driver {
	struct kobject kobj;			/* targets/NAME */
	struct list_head link;			/* skua_drivers, under skua_conf */
	struct list_head tgts;
	const struct skua_transport *ops;
	bool dead;
};

/* A LUN of a group (or of a target's default group): luns/LUN. */
struct skua_map {
	struct kobject kobj;
	struct list_head link;			/* group->maps, sorted by LUN */
	struct list_head dev_link;		/* dev->maps */
	struct skua_group *grp;
	struct skua_dev *dev;
	u16 lun;
	bool read_only;				/* as configured; the device may be so too */
	bool visible;				/* kobj is in the tree */
	u32 export_nr;				/* N of devices/DEV/exported/exportN */
	struct skua_reap reap;
};

/* initiators/PATTERN; shown as a file by the group. */
struct skua_pattern {
	struct list_head link;
	struct skua_group *grp;
	struct skua_attr attr;
	struct skua_reap reap;
	char text[];
};

/*
 * An initiator group, or a target's own LUN table (tgt->own, without name and
 * patterns). kobj is ini_groups/NAME; for tgt->own it is the target's.
 */
struct skua_group {
	struct kobject kobj;
	struct kobject *luns_kobj;
	struct kobject *inis_kobj;
	struct list_head link;			/* tgt->groups in order of creation */
	struct skua_tgt *tgt;
	struct list_head maps;
	struct list_head patterns;
	atomic_t nr_files;			/* of patterns, those being removed included */
	u32 nr_sessions;
	u8 addr_method;
	char io_grouping[24];			/* with the mask: for tools; tree's lock */
	bool cpu_mask_set;
	struct cpumask cpu_mask;
	struct skua_reap reap;
	bool own;
	bool dead;				/* unlinked, under skua_conf */
	char name[];
};

struct skua_tgt {
	struct kobject kobj;			/* targets/DRV/NAME */
	struct list_head link;			/* driver->tgts */
	struct skua_driver *drv;
	void *priv;
	struct skua_group *own;			/* default LUN table */
	struct list_head groups;
	struct list_head sessions;		/* live ones, under skua_conf */
	struct list_head ending;		/* dead ones in the tree, under skua_conf */
	struct kobject *luns_kobj, *groups_kobj, *sessions_kobj;
	u16 rel_tgt_id;
	bool enabled;
	bool deleting;				/* del_target has begun, under skua_conf */
	bool dead;
	bool forward_src, forward_dst, aen_disabled;
	char *comment;
	char name[];
};

/* ---- sessions --------------------------------------------------------- */

enum {
	SKUA_STAT_UNKNOWN, SKUA_STAT_WRITE, SKUA_STAT_READ, SKUA_STAT_BIDI, SKUA_STAT_NONE,
	SKUA_NR_STAT
};

struct skua_stats {
	struct {
		u64 cmds, bytes, unaligned;
	} dir[SKUA_NR_STAT];
};

struct skua_nexus_stats {
	struct {
		u64 cmds, bytes;
	} dir[SKUA_NR_STAT];
};

struct skua_lat;			/* latency.c */

/**
 * struct skua_session - an I_T nexus
 * @kobj: sessions/NAME
 * @luns: what this initiator sees; replaced under skua_conf, see struct skua_lun_table
 * @next_luns: what @luns is to be, while skua_conf is held
 * @queues: attached queues, under @lock
 * @stats: per CPU
 * @id: unique, never 0
 */
struct skua_session {
	struct kobject kobj;
	struct list_head link;			/* tgt->sessions */
	struct kref refs;			/* one per queue, one while linked */
	struct skua_tgt *tgt;
	struct skua_group *grp;			/* under skua_conf */
	struct skua_lun_table __rcu *luns;
	struct skua_lun_table *next_luns;
	spinlock_t lock;
	struct list_head queues;
	u32 live_queues;
	bool closing;				/* unlinked, under skua_conf */
	struct skua_stats __percpu *stats;
	struct skua_stats base;			/* subtracted by the counters' reset */
	struct skua_lat __rcu *lat;		/* while it is measured; replaced under skua_conf */
	u64 id;
	void *priv;
	bool close_asked;			/* under @lock */
	struct work_struct close_work;
	struct completion closed;		/* out of the tree */
	struct list_head tree_link;		/* sysfs_sess.c: sessions that are visible */
	struct skua_group *tree_grp;		/* what the link "luns" shows; holds its kobject */
	struct kobject *dir;			/* the transport's subdirectory, or NULL */
	struct kobject *lat_dir;		/* latency/ */
	u8 transport_id[SKUA_MAX_TRANSPORT_ID];
	u32 transport_id_len;
	u32 key_len;
	u8 key[SKUA_MAX_KEY];
	char initiator[SKUA_MAX_NAME];
};

/* Published ones do not change, but for entries that become NULL and the method. */
struct skua_lun_table {
	struct rcu_head rcu;
	u32 nr;					/* entries; index is the LUN */
	u8 addr_method;				/* SKUA_ADDR_* of the group, by READ_ONCE() */
	struct skua_nexus *nexus[];
};

struct skua_ua {
	u8 asc, ascq;
};

/**
 * struct skua_nexus - one initiator's view of one LUN (I_T_L nexus)
 * @ref: commands in flight here
 * @ua: pending unit attentions, oldest first, under @lock; @nr_ua by READ_ONCE()
 * @held: commands waiting for an ordered one, under @lock; @holding by READ_ONCE()
 * @lost_seen: dev->lost when the initiator was last told; by READ_ONCE()
 */
struct skua_nexus {
	struct percpu_ref ref;
	struct skua_session *sess;
	struct skua_dev *dev;
	struct skua_nexus_stats __percpu *stats;
	struct skua_lat __rcu *lat;		/* as the session's */
	u16 lun;
	bool read_only;
	u8 nr_ua;
	bool holding;
	bool dead;
	u32 lost_seen;
	spinlock_t lock;
	struct skua_ua ua[SKUA_NR_UA];
	struct list_head held;
	struct work_struct order_work;
	struct list_head dev_link;		/* dev->nexuses */
	struct kobject kobj;			/* sessions/NAME/lunN */
	bool visible;				/* kobj is in the tree */
	struct work_struct free_work;
	struct rcu_head rcu;
	struct skua_reap reap;
};

/* ---- commands --------------------------------------------------------- */

/*
 * cmd->state: a generation above flags. ACTIVE from submit to done; done turns
 * ACTIVE into DONE with one atomic add and so learns whether it was aborted;
 * release clears the flags. Task management marks a command with cmpxchg on the
 * value it saw before it read the tag, so a slot used anew is never hit.
 */
#define SKUA_ST_ACTIVE	1
#define SKUA_ST_ABORTED	2
#define SKUA_ST_DONE	4
#define SKUA_ST_TAS	8	/* aborted by another nexus and TAS is set: say TASK ABORTED */
#define SKUA_ST_FLAGS	15
#define SKUA_ST_GEN	16

enum {
	SKUA_CTL_PAGES	 = 1 << 0,	/* io.sg is the backend's own */
	SKUA_CTL_HELD	 = 1 << 1,	/* on nexus->held; under nexus->lock */
	SKUA_CTL_STARTED = 1 << 2,	/* start() was called: data may have moved */
	SKUA_CTL_UA	 = 1 << 3,	/* took the unit attention ua_asc, ua_ascq */
	SKUA_CTL_TIMED	 = 1 << 4,	/* stamp[] is valid: latency was measured as it began */
};

static inline bool skua_cmd_aborted(const struct skua_cmd *cmd)
{
	return atomic_read(&cmd->state) & SKUA_ST_ABORTED;
}

/* cmd.c */
void skua_cmd_done(struct skua_cmd *cmd, u8 status);
void skua_cmd_good(struct skua_cmd *cmd);
void skua_cmd_sense(struct skua_cmd *cmd, u8 key, u8 asc, u8 ascq);
void skua_cmd_sense_info(struct skua_cmd *cmd, u8 key, u8 asc, u8 ascq, u64 info);
void skua_cmd_bad_field(struct skua_cmd *cmd, u16 byte, int bit, bool in_cdb);
void skua_cmd_error(struct skua_cmd *cmd, int error);
void skua_cmd_reply(struct skua_cmd *cmd, const void *data, u32 len);
bool skua_cmd_take_ua(struct skua_cmd *cmd, struct skua_ua *ua);
bool skua_dev_ready(struct skua_cmd *cmd);
bool skua_gate_state(struct skua_cmd *cmd);
bool skua_dev_write_protected(const struct skua_nexus *nx);
void skua_cmd_resume(struct skua_cmd *cmd);
void skua_cmd_reject(struct skua_cmd *cmd);

/* dispatch.c, spc.c, inquiry.c, mode.c, sbc.c, ...: cmd->execute by enum skua_op_id */
typedef void (*skua_exec_fn)(struct skua_cmd *cmd);
extern const skua_exec_fn skua_exec[];

/* pass.c */
bool skua_pass_takes(const struct skua_cmd *cmd);
bool skua_gate_pass(struct skua_cmd *cmd);
void skua_dev_reset(struct skua_dev *dev);

/* ua.c */
void skua_ua_add(struct skua_nexus *nx, u8 asc, u8 ascq);
bool skua_ua_take(struct skua_nexus *nx, struct skua_ua *ua);
void skua_ua_dev(struct skua_dev *dev, const struct skua_nexus *except, u8 asc, u8 ascq);
void skua_ua_session(struct skua_session *sess, u8 asc, u8 ascq);

/* mode.c */
void skua_mode_init(struct skua_dev *dev);
bool skua_mode_d_sense(const struct skua_dev *dev);
bool skua_mode_tas(const struct skua_dev *dev);

/* ident.c */
void skua_ident_init(struct skua_dev *dev);
u32 skua_ident_vpd83(struct skua_dev *dev, const struct skua_session *sess, u8 *buf, u32 size);

/* device.c */
extern struct list_head skua_backends, skua_devs;	/* under skua_conf */
extern u32 skua_setup_id;
int skua_dev_create(struct skua_backend *be, const char *name, char *params);
int skua_dev_delete(struct skua_backend *be, const char *name);
struct skua_dev *skua_dev_find(const char *name);
void skua_dev_get(struct skua_dev *dev);
void skua_dev_put(struct skua_dev *dev);
int skua_dev_bring_up(struct skua_dev *dev);
void skua_dev_unreserve(struct skua_dev *dev);
void skua_dev_apply_limits(struct skua_dev *dev, const struct skua_limits *limits);
/* medium.c */
int skua_dev_open_medium(struct skua_dev *dev);
void skua_dev_close_medium(struct skua_dev *dev);
int skua_dev_start(struct skua_dev *dev);
void skua_jobs_leave(void);
int skua_dev_set_active(struct skua_dev *dev, bool active);
int skua_dev_resize(struct skua_dev *dev, u64 bytes);
int skua_dev_sync(struct skua_dev *dev);
int skua_dev_resync(struct skua_dev *dev);
int skua_dev_set_filename(struct skua_dev *dev, const char *path);

void skua_dev_free(struct skua_dev *dev);	/* from the kobject's release */

static inline u32 skua_block_size(const struct skua_dev *dev)
{
	return 1U << dev->block_shift;
}

/* params.c: add_device parameters; the grammar is in words.h */
int skua_params_parse(struct skua_backend *be, char *params, struct skua_dev_config *config);
int skua_parse_node(const char *word, int *node);
bool skua_ident_ok(const char *text);
ssize_t skua_params_list(u32 params, char *buf);

/* target.c, group.c, lun.c */
extern struct list_head skua_drivers;			/* under skua_conf */
int skua_tgt_set_enabled(struct skua_tgt *tgt, bool on);
int skua_tgt_set_rel_id(struct skua_tgt *tgt, u16 id);
void skua_tgt_free(struct skua_tgt *tgt);
void skua_tgt_close_sessions(struct skua_tgt *tgt);
int skua_tgt_cmd_add(struct skua_driver *drv, const char *name, char *params);
int skua_tgt_cmd_del(struct skua_driver *drv, const char *name);
int skua_group_create(struct skua_tgt *tgt, const char *name);
int skua_group_delete(struct skua_tgt *tgt, const char *name);
struct skua_group *skua_group_alloc(struct skua_tgt *tgt, const char *name);
void skua_group_free(struct skua_group *grp);
void skua_groups_clear(struct skua_tgt *tgt, struct list_head *reap);
int skua_pattern_add(struct skua_group *grp, const char *text);
int skua_pattern_del(struct skua_group *grp, const char *text);
int skua_pattern_move(struct skua_group *grp, const char *text, const char *to);
int skua_pattern_clear(struct skua_group *grp);
struct skua_group *skua_group_for(struct skua_tgt *tgt, const char *initiator);
int skua_map_add(struct skua_group *grp, const char *dev, u16 lun, bool read_only);
int skua_map_replace(struct skua_group *grp, const char *dev, u16 lun, bool read_only, bool ua);
int skua_map_del(struct skua_group *grp, u16 lun);
void skua_map_clear(struct skua_group *grp);
void skua_group_set_addr_method(struct skua_group *grp, u8 method);
void skua_map_free(struct skua_map *map);
void skua_maps_unlink(struct skua_group *grp, struct list_head *reap);
void skua_map_clear_dev(struct skua_dev *dev, struct list_head *reap);
void skua_settle(struct skua_tgt *tgt, struct list_head *reap);

/* session.c, nexus.c */
int skua_session_remap(struct skua_session *sess, struct list_head *reap);
void skua_session_unmap(struct skua_session *sess, struct list_head *reap);
void skua_session_free(struct skua_session *sess);
void skua_session_stats(struct skua_session *sess, struct skua_stats *sum);
void skua_session_stats_clear(struct skua_session *sess, int dir);
u32 skua_session_active(struct skua_session *sess, const struct skua_nexus *nx);
void skua_session_for_each_cmd(struct skua_session *sess,
			       void (*fn)(struct skua_cmd *cmd, void *arg), void *arg);
void skua_session_ref_put(struct skua_session *sess);
void skua_queues_drained(void);
void skua_session_luns_event(struct skua_session *sess);
void skua_session_aborted(struct skua_session *sess);
void skua_nexus_free(struct skua_nexus *nx);	/* from the kobject's release */
struct skua_nexus *skua_nexus_lookup(struct skua_session *sess, u16 lun);
struct skua_nexus *skua_nexus_create(struct skua_session *sess, struct skua_dev *dev, u16 lun,
				     bool read_only);
void skua_nexus_kill(struct skua_nexus *nx, struct list_head *reap);
void skua_nexus_unreserve(struct skua_nexus *nx);

/* order.c */
bool skua_order_hold(struct skua_cmd *cmd);
void skua_order_kick(struct skua_nexus *nx);
void skua_order_work(struct work_struct *work);

/*
 * The tree. *_add: make the object visible, its kobject is initialized with the
 * ktype below already; may be called under skua_conf. *_del: take it out and wait
 * for readers; never under skua_conf; does not drop the object's reference.
 */
extern const struct kobj_type skua_dev_ktype, skua_driver_ktype, skua_tgt_ktype,
	skua_group_ktype, skua_map_ktype, skua_session_ktype, skua_nexus_ktype;

int skua_sysfs_init(void);
void skua_sysfs_exit(void);
int skua_sysfs_backend_add(struct skua_backend *be);
void skua_sysfs_backend_del(struct skua_backend *be);
int skua_sysfs_dev_add(struct skua_dev *dev);
void skua_sysfs_dev_del(struct skua_dev *dev);
int skua_sysfs_driver_add(struct skua_driver *drv);
void skua_sysfs_driver_del(struct skua_driver *drv);
int skua_sysfs_tgt_add(struct skua_tgt *tgt);		/* with luns, ini_groups, sessions */
void skua_sysfs_tgt_del(struct skua_tgt *tgt);
int skua_sysfs_group_add(struct skua_group *grp);
void skua_sysfs_group_del(struct skua_group *grp);
int skua_sysfs_pattern_add(struct skua_pattern *pat);
void skua_sysfs_pattern_del(struct skua_pattern *pat);
int skua_sysfs_map_add(struct skua_map *map);		/* with links device and exportN */
void skua_sysfs_map_del(struct skua_map *map);
/* finds a free name, makes the link luns and the transport's subdirectory */
int skua_sysfs_session_add(struct skua_session *sess,
			   const struct skua_session_params *params);
void skua_sysfs_session_del(struct skua_session *sess);
void skua_sysfs_session_relink(struct skua_session *sess);
int skua_sysfs_nexus_add(struct skua_nexus *nx);
void skua_sysfs_nexus_del(struct skua_nexus *nx);
int skua_proc_init(void);
void skua_proc_exit(void);

/* Slow operations that went on after their write returned -EAGAIN. */
void skua_mgmt_pending(int delta);
void skua_mgmt_result(int error);

/* sgv.c */
int skua_sgv_init(void);
void skua_sgv_exit(void);
ssize_t skua_sgv_show(unsigned int cache, char *buf);
void skua_sgv_clear(unsigned int cache);
unsigned int skua_sgv_nr_caches(void);
const char *skua_sgv_cache_name(unsigned int cache);
ssize_t skua_sgv_global_show(char *buf);
void skua_sgv_seq_show(struct seq_file *seq);

#endif
