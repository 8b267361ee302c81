//! SQLite's file layer with faults in it: every call goes to the system's own layer unless its turn to fail has come.
//! It becomes the default of this process; only files below a folder that was named fail.
#![allow(unsafe_code)] // SQLite's interface is C

use std::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use rusqlite::ffi::{
    SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_INTERRUPT, SQLITE_IOERR_FSYNC, SQLITE_IOERR_WRITE, SQLITE_OK,
    SQLITE_PERM, sqlite3_file, sqlite3_filename, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs,
    sqlite3_vfs_find, sqlite3_vfs_register,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Write,
    Sync,
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    NoSpace,
    Io,
    Permission,
    Interrupted,
}

struct Armed {
    folder: PathBuf,
    operation: Operation,
    fault: Fault,
    every: u32,
    seen: u32,
}

static ARMED: Mutex<Vec<Armed>> = Mutex::new(Vec::new());
static REGISTERED: Once = Once::new();

/// Faults in a folder, until they are cleared.
pub struct Faults {
    folder: PathBuf,
}

impl Faults {
    pub fn clear(&self) {
        ARMED.lock().unwrap().retain(|armed| armed.folder != self.folder);
    }
}

/// Makes every n-th operation below a folder fail.
pub fn failing(folder: &Path, operation: Operation, fault: Fault, every: u32) -> Faults {
    let folder = folder.canonicalize().unwrap();
    ARMED.lock().unwrap().push(Armed { folder: folder.clone(), operation, fault, every, seen: 0 });
    Faults { folder }
}

/// The code of a fault whose turn has come.
fn turn_of(path: &Path, operation: Operation) -> Option<c_int> {
    let mut armed = ARMED.lock().unwrap();
    let armed =
        armed.iter_mut().find(|armed| path.starts_with(&armed.folder) && armed.operation == operation)?;
    armed.seen += 1;
    armed.seen.is_multiple_of(armed.every).then_some(match (armed.fault, operation) {
        (Fault::NoSpace, Operation::Open) => SQLITE_CANTOPEN,
        (Fault::NoSpace, _) => SQLITE_FULL,
        (Fault::Io, Operation::Write) => SQLITE_IOERR_WRITE,
        (Fault::Io, Operation::Sync) => SQLITE_IOERR_FSYNC,
        (Fault::Io, Operation::Open) => SQLITE_CANTOPEN,
        (Fault::Permission, _) => SQLITE_PERM,
        (Fault::Interrupted, _) => SQLITE_INTERRUPT,
    })
}

/// A file of ours; the system's own file follows it in memory.
#[repr(C)]
struct FaultyFile {
    base: sqlite3_file,
    path: *mut PathBuf,
}

struct System(*mut sqlite3_vfs);
// SQLite calls its file layer from many threads; this one holds no state but the pointer.
unsafe impl Sync for System {}
unsafe impl Send for System {}

static SYSTEM: Mutex<Option<System>> = Mutex::new(None);

fn system() -> *mut sqlite3_vfs {
    SYSTEM.lock().unwrap().as_ref().unwrap().0
}

pub fn register() {
    REGISTERED.call_once(|| unsafe {
        let own = sqlite3_vfs_find(std::ptr::null());
        *SYSTEM.lock().unwrap() = Some(System(own));
        let mut faulty: sqlite3_vfs = *own;
        faulty.pNext = std::ptr::null_mut();
        faulty.zName = c"faulty".as_ptr();
        faulty.szOsFile = (size_of::<FaultyFile>() as c_int) + (*own).szOsFile;
        faulty.xOpen = Some(open);
        assert_eq!(sqlite3_vfs_register(Box::leak(Box::new(faulty)), 1), SQLITE_OK);
    });
}

unsafe fn inner(file: *mut sqlite3_file) -> *mut sqlite3_file {
    unsafe { file.cast::<FaultyFile>().add(1).cast() }
}

unsafe fn path_of(file: *mut sqlite3_file) -> &'static Path {
    unsafe { &*(*file.cast::<FaultyFile>()).path }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    unsafe {
        let path = match name.is_null() {
            true => PathBuf::new(),
            false => PathBuf::from(CStr::from_ptr(name).to_string_lossy().into_owned()),
        };
        (*file).pMethods = std::ptr::null();
        if let Some(code) = turn_of(&path, Operation::Open) {
            return code;
        }
        let own = system();
        let code = (*own).xOpen.unwrap()(own, name, inner(file), flags, out);
        if code == SQLITE_OK {
            (*file.cast::<FaultyFile>()).path = Box::into_raw(Box::new(path));
            (*file).pMethods = &METHODS.0;
        }
        code
    }
}

struct Methods(sqlite3_io_methods);
unsafe impl Sync for Methods {}

/// Hands a call on to the system's own file.
macro_rules! on {
    ($file:ident . $method:ident ( $($argument:expr),* )) => {
        unsafe {
            let own = inner($file);
            (*(*own).pMethods).$method.unwrap()(own, $($argument),*)
        }
    };
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = on!(file.xClose());
    unsafe { drop(Box::from_raw((*file.cast::<FaultyFile>()).path)) };
    code
}

unsafe extern "C" fn read(file: *mut sqlite3_file, to: *mut c_void, n: c_int, at: sqlite3_int64) -> c_int {
    on!(file.xRead(to, n, at))
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    n: c_int,
    at: sqlite3_int64,
) -> c_int {
    match turn_of(unsafe { path_of(file) }, Operation::Write) {
        Some(code) => code,
        None => on!(file.xWrite(from, n, at)),
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    on!(file.xTruncate(size))
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    match turn_of(unsafe { path_of(file) }, Operation::Sync) {
        Some(code) => code,
        None => on!(file.xSync(flags)),
    }
}

unsafe extern "C" fn size(file: *mut sqlite3_file, out: *mut sqlite3_int64) -> c_int {
    on!(file.xFileSize(out))
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    on!(file.xLock(level))
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    on!(file.xUnlock(level))
}

unsafe extern "C" fn check_reserved(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    on!(file.xCheckReservedLock(out))
}

unsafe extern "C" fn control(file: *mut sqlite3_file, what: c_int, with: *mut c_void) -> c_int {
    on!(file.xFileControl(what, with))
}

unsafe extern "C" fn sector(file: *mut sqlite3_file) -> c_int {
    on!(file.xSectorSize())
}

unsafe extern "C" fn device(file: *mut sqlite3_file) -> c_int {
    on!(file.xDeviceCharacteristics())
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    on!(file.xShmMap(page, size, extend, out))
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, at: c_int, n: c_int, flags: c_int) -> c_int {
    on!(file.xShmLock(at, n, flags))
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    on!(file.xShmBarrier())
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    on!(file.xShmUnmap(delete))
}

// Version 2: with shared memory, without mapped pages.
static METHODS: Methods = Methods(sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector),
    xDeviceCharacteristics: Some(device),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
});
