# SPDX-License-Identifier: GPL-2.0
#
# fio wrappers. All fail the case when fio does.

# fio_run NAME ARGUMENTS...: JSON in $CASE_TMP/fio-NAME.json
fio_run()
{
	local name=$1 json=$CASE_TMP/fio-$1.json

	shift
	if ! fio --name="$name" --output="$json" --output-format=json \
		 --group_reporting --thread "$@" > "$CASE_TMP/fio.out" 2>&1; then
		cat "$CASE_TMP/fio.out" "$json"
		fail "fio $name failed"
	fi
	# Messages come before the JSON.
	sed -n '/^{/,$p' "$json" > "$json.clean"
	mv "$json.clean" "$json"
	if [ "$(jq '[.jobs[].error] | add' "$json")" != 0 ]; then
		cat "$CASE_TMP/fio.out"
		fail "fio $name reports an error"
	fi
}

# fio_verify DEVICE BLOCKSIZE SIZE [ARGUMENTS...]: writes and reads back with
# crc32c in every block.
fio_verify()
{
	local dev=$1 bs=$2 size=$3

	shift 3
	fio_run "verify-$bs" --filename="$dev" --bs="$bs" --size="$size" \
		--ioengine=libaio --direct=1 --iodepth=8 --rw=randwrite \
		--verify=crc32c --verify_fatal=1 --do_verify=1 \
		--verify_state_save=0 "$@"
	echo "verified $size on $dev in blocks of $bs: fio $*"
}

# fio_background DEVICE [ARGUMENTS...]: I/O until fio_stop; errors are allowed.
fio_background()
{
	local dev=$1

	shift
	fio --name=background --filename="$dev" --bs=4k --size=16M \
		--ioengine=libaio --direct=1 --iodepth=16 --rw=randrw --thread \
		--allow_file_create=0 \
		--time_based --runtime=100000 --continue_on_error=all \
		--output="$CASE_TMP/fio-background" "$@" > /dev/null 2>&1 &
	FIO_PID=$!
}

fio_stop()
{
	[ -n "${FIO_PID:-}" ] || return 0
	kill -TERM "$FIO_PID" 2>/dev/null || :
	wait "$FIO_PID" 2>/dev/null || :
	FIO_PID=
}

# fio_value NAME JQ-EXPRESSION: a number of a finished fio_run
fio_value() { jq "$2" "$CASE_TMP/fio-$1.json"; }
