# Shared by the scripts: where we are, how we speak, what has to be installed. Sourced, not run.
set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"

say() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
fail() {
  printf '\n!! %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as the administrator, if we are not that already.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif has sudo; then sudo "$@"; else
    fail "Run this as root, or install sudo: $*"
  fi
}

# What the program is built from and what it runs on.
BUILD_PACKAGES="build-essential pkg-config file libwebkit2gtk-4.1-dev librsvg2-dev libxdo-dev libssl-dev libdbus-1-dev
  fonts-liberation fonts-dejavu-core fonts-noto-core fonts-roboto fonts-inter fonts-open-sans"
# What the tests need besides: a display, a keychain, a browser, a driver for the window.
TEST_PACKAGES="webkit2gtk-driver xvfb xauth dbus dbus-x11 gnome-keyring xdotool xclip openbox chromium util-linux
  python3-gi gir1.2-gtk-3.0 python3-venv strace"

# Installs the Debian packages that are missing; elsewhere says what is needed.
need_packages() {
  if ! has dpkg-query; then
    note "This is no Debian: install the counterparts of these yourself if the build asks for them:"
    note "$*"
    return 0
  fi
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq \
    --no-install-recommends "${missing[@]}"
}

# Rust, in the version that rust-toolchain.toml names: rustup fetches it at the first call.
need_rust() {
  has cargo && return 0
  export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  has cargo && return 0
  say "Installing Rust for this user"
  if has apt-cache && apt-cache show rustup >/dev/null 2>&1; then
    need_packages rustup
  else
    has curl || need_packages curl ca-certificates
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
      sh -s -- -y --no-modify-path --profile minimal --default-toolchain none || true
  fi
  cargo --version >/dev/null 2>&1 ||
    fail "Rust could not be installed. Install rustup (https://rustup.rs), then run this again."
}

node_is_new_enough() {
  has node && node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

# Node.js: the system's, or a newer one beside it where that is too old.
need_node() {
  has node || need_packages nodejs npm
  has npm || need_packages npm
  local own="target/node/node_modules/.bin"
  node_is_new_enough && return 0
  if [ ! -x "$own/node" ]; then
    say "Node.js $(node --version) is older than 20.19: installing a newer one into target/node"
    npm install --prefix target/node node@22 --no-save --no-audit --no-fund --silent
  fi
  export PATH="$ROOT/$own:$PATH"
  node_is_new_enough || fail "Node.js 20.19 or later is needed; this is $(node --version). Install one, then run this again."
}

# Installs a cargo subcommand, in a version that the lock files were made with.
need_cargo_tool() {
  local name="$1" version="$2"
  cargo "${name#cargo-}" --version >/dev/null 2>&1 && return 0
  say "Installing $name (a few minutes, once)"
  cargo install "$name" --version "$version" --locked --quiet
}

# The packages of the window, again only when the lock file has changed.
need_window_packages() {
  local stamp="ui/node_modules/.installed" sum
  sum="$(cksum <ui/package-lock.json)"
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ]; then
    say "Installing the window's packages"
    npm --prefix ui ci --no-audit --no-fund
    printf '%s' "$sum" >"$stamp"
  fi
}

# The mock providers that nobody here wrote, again only when their lists have changed.
need_mock_providers() {
  local folder="tests/providers" stamp sum
  stamp="$folder/second_opinion/node_modules/.installed"
  sum="$(cat "$folder/second_opinion/package-lock.json" "$folder/chaos/requirements.txt" | cksum)"
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ] || [ ! -x "$folder/chaos/.venv/bin/llmock" ]; then
    say "Installing the mock providers"
    npm --prefix "$folder/second_opinion" ci --no-audit --no-fund
    python3 -m venv "$folder/chaos/.venv"
    "$folder/chaos/.venv/bin/pip" install --quiet --disable-pip-version-check -r "$folder/chaos/requirements.txt"
    printf '%s' "$sum" >"$stamp"
  fi
}

# Pages by other people that tests take apart and draw, again only when their list has changed.
need_template_pages() {
  local folder="tests/templates" stamp sum
  stamp="$folder/node_modules/.installed"
  sum="$(cksum <"$folder/package-lock.json")"
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ]; then
    say "Installing template pages"
    npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund
    printf '%s' "$sum" >"$stamp"
  fi
}

# The window itself, again only when something of it has changed.
build_window() {
  if [ ! -f ui/dist/index.html ] || [ ! -f ui/dist/.built ] ||
    [ -n "$(find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -path ui/dist-fake -prune -o -newer ui/dist/.built -type f -print -quit)" ]; then
    say "Building the window"
    npm --prefix ui run --silent build
    touch ui/dist/.built
  fi
}
