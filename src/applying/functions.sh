set -eu

stop() {
    echo "$0: $gpu: $1" >&2
    exit 1
}

# The driver's index of a GPU, which may change with every boot.
find_index() {
    index=$(nvidia-smi --query-gpu=index,uuid --format=csv,noheader | sed -n "s/^ *\([0-9][0-9]*\), *$uuid *\$/\1/p")
    [ -n "$index" ] || stop "no GPU of this node has the UUID $uuid. Nothing was changed on it"
}

# The instances that the GPU has, a line each: ID:START of profile and first slot, id of the GPU instance, name.
list_instances() {
    table=$(nvidia-smi mig -i "$index" -lgi 2>&1) || case $table in
        *"No GPU instances found"*) ;;
        *) stop "nvidia-smi mig -lgi failed: $table" ;;
    esac
    case $table in *"No MIG-enabled devices"*) stop "MIG is off" ;; esac
    instances=$(echo "$table" | sed -n "s/^|  *$index  *MIG  *\([^ ][^ ]*\)  *\([0-9][0-9]*\)  *\([0-9][0-9]*\)  *\([0-9][0-9]*\):[0-9][0-9]* *|\$/\2:\4 \3 \1/p")
}

# The id of the GPU instance at a place; empty where there is none.
instance_at() {
    echo "$instances" | while read -r place id _; do
        if [ "$place" = "$1" ]; then echo "$id"; fi
    done
}

# The ids of the compute instances of a GPU instance, with commas between them.
compute_instances_of() {
    { nvidia-smi mig -i "$index" -lci 2> /dev/null || true; } |
        sed -n "s/^|  *$index  *$1  *MIG  *[^ ][^ ]*  *[0-9][0-9]*  *\([0-9][0-9]*\)[ |].*\$/\1/p" | paste -s -d , -
}

has() {
    case " $1 " in *" $2 "*) return 0 ;; esac
    return 1
}

remove() {
    id=$(instance_at "$1")
    [ -n "$id" ] || return 0
    parts=$(compute_instances_of "$id")
    if [ -n "$parts" ]; then
        said=$(nvidia-smi mig -i "$index" -dci -ci "$parts" -gi "$id" 2>&1) ||
            stop "GPU instance $id (profile:start $1) is still in use: $said. Stop what runs on it, then run this again"
    fi
    said=$(nvidia-smi mig -i "$index" -dgi -gi "$id" 2>&1) || stop "GPU instance $id (profile:start $1) cannot be removed: $said"
    echo "$gpu: removed GPU instance $id (profile:start $1)"
    list_instances
}

# With a compute instance, or without one as second word `bare`.
make() {
    id=$(instance_at "$1")
    if [ -z "$id" ]; then
        if [ "${2:-}" = bare ]; then with=''; else with='-C'; fi
        # shellcheck disable=SC2086
        said=$(nvidia-smi mig -i "$index" -cgi "$1" $with 2>&1) || stop "no instance can be made at profile:start $1: $said"
        list_instances
        id=$(instance_at "$1")
        [ -n "$id" ] || stop "the driver made the instance at another place than profile:start $1: $said"
        echo "$gpu: made GPU instance $id (profile:start $1)"
    elif [ "${2:-}" != bare ] && [ -z "$(compute_instances_of "$id")" ]; then
        said=$(nvidia-smi mig -i "$index" -cci -gi "$id" 2>&1) || stop "no compute instance can be made in GPU instance $id: $said"
        echo "$gpu: made a compute instance in GPU instance $id (profile:start $1)"
    fi
}

# Refuses a layout that is none between the beginning and the end of the round.
look() {
    find_index
    list_instances
    present=$(echo "$instances" | cut -d ' ' -f 1 | paste -s -d ' ' -)
    foreign=''
    for place in $present; do
        has "$stays $in_the_way $made $left $restored $restored_bare" "$place" || foreign="$foreign $place"
    done
    lacking=''
    for place in $stays; do has "$present" "$place" || lacking="$lacking $place"; done
    unmade=''
    for place in $made; do has "$present" "$place" || unmade="$unmade $place"; done
    if [ -n "$unmade" ]; then
        for place in $left; do has "$present" "$place" || lacking="$lacking $place"; done
    fi
    [ -z "$foreign$lacking" ] ||
        stop "the layout is not the one that was planned for, as profile:start:${foreign:+ there is$foreign too;}${lacking:+ $lacking is missing;} present: ${present:-nothing}. Nothing was changed; import the cluster again and plan anew"
    if [ "$1" = finish ] && [ -n "$unmade" ]; then
        stop "profile:start$unmade is not there yet. Run \`$0 begin\` first"
    fi
}

begin() {
    find_index
    list_instances
    for place in $in_the_way; do remove "$place"; done
    for place in $made; do make "$place"; done
}

finish() {
    find_index
    list_instances
    for place in $left; do remove "$place"; done
    for place in $restored; do make "$place"; done
    for place in $restored_bare; do make "$place" bare; done
}

case ${1:-} in
    begin | finish) ;;
    *)
        echo "usage: $0 begin|finish (the head of this file says what happens between both)" >&2
        exit 2
        ;;
esac
command -v nvidia-smi > /dev/null || { echo "$0: there is no nvidia-smi here. Run this on the node" >&2; exit 1; }
