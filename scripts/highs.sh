# To be sourced: which solvers cargo is to use. Sets `features`, which the scripts give to cargo: CBC where its development files are
# installed (scripts/setup --cbc), and HiGHS.
# MIGOPT_HIGHS chooses: `prebuilt`, `source`, or, when it is not set, the prebuilt one if scripts/setup could get it.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
highs_version=$(sed -n '/^name = "highs-sys"$/{n;s/^version = "\(.*\)"/\1/p}' "$root/Cargo.lock")
highs_home="${XDG_CACHE_HOME:-$HOME/.cache}/migopt/highs-$highs_version"
case "${MIGOPT_HIGHS-}" in
    "" | prebuilt | source) ;;
    *)
        echo "MIGOPT_HIGHS is '$MIGOPT_HIGHS'. Set it to 'prebuilt' or 'source', or not at all." >&2
        exit 2
        ;;
esac

has_prebuilt_highs() { [ -e "$highs_home/lib/pkgconfig/highs.pc" ]; }

# What .cargo/config.toml says, which cargo does not read when it is called from elsewhere, and the user's own path.
highs_path="$root/.highs/lib/pkgconfig"
case "${PKG_CONFIG_PATH-}" in
    "$highs_path" | "$highs_path":*) ;;
    *) export PKG_CONFIG_PATH="$highs_path${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" ;;
esac

if [ "${MIGOPT_HIGHS-}" != source ] && has_prebuilt_highs; then
    highs_about="HiGHS $highs_version, prebuilt, from $highs_home"
    highs_feature=shared-highs
else
    highs_about="HiGHS compiled from source, which takes some minutes the first time"
    highs_feature=highs
fi
if command -v pkg-config >/dev/null && pkg-config --exists cbc; then
    features="cbc,$highs_feature"
else
    features="$highs_feature"
fi
