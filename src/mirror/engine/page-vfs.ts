import { pageLength } from './image.ts';
import type { Pages } from './pages.ts';
import type { Database, Sqlite } from './sqlite.ts';

const name = 'pages';

/** Results of the operations on a file, by SQLite's names. */
type Code = Sqlite['capi'][
  | 'SQLITE_OK'
  | 'SQLITE_IOERR_READ'
  | 'SQLITE_IOERR_SHORT_READ'
  | 'SQLITE_IOERR_WRITE'
  | 'SQLITE_IOERR_TRUNCATE'];

/** Lets SQLite read and write `Pages`, which it sees as its only file. One database at a time. */
export interface PageVfs {
  open(pages: Pages, isReadOnly: boolean): Database;
  /** Why the pages could not be read, since the last call; undefined if they could. SQLite itself only reports an I/O error. */
  takeFailure(): unknown;
}

/** Copies the functions for time and randomness from the default VFS. */
function createVfs({ capi }: Sqlite) {
  const vfs = new capi.sqlite3_vfs();
  const usual = new capi.sqlite3_vfs(Number(capi.sqlite3_vfs_find(null as never)));
  vfs.$iVersion = 2;
  vfs.$szOsFile = usual.$szOsFile;
  vfs.$mxPathname = 64;
  for (const method of ['$xRandomness', '$xSleep', '$xCurrentTime', '$xCurrentTimeInt64']) {
    Reflect.set(vfs, method, Reflect.get(usual, method));
  }
  usual.dispose();
  return vfs;
}

export function installPageVfs(sqlite: Sqlite): PageVfs {
  const { capi, wasm, oo1 } = sqlite;
  const { SQLITE_OK: ok } = capi;
  let pages: Pages | undefined;
  let failure: unknown;

  /** Runs an operation on the pages. An exception must not pass through SQLite. */
  function attempt(code: Code, run: (on: Pages) => Code): Code {
    if (pages === undefined) return code;
    try {
      return run(pages);
    } catch (error) {
      failure ??= error;
      return code;
    }
  }

  function read(into: number, length: number, position: number): Code {
    return attempt(capi.SQLITE_IOERR_READ, (on) => {
      const target = wasm.heap8u().subarray(into, into + length);
      if (position + length > on.length()) {
        target.fill(0);
        return capi.SQLITE_IOERR_SHORT_READ;
      }
      on.read(target, position);
      return ok;
    });
  }

  function write(from: number, length: number, position: number): Code {
    return attempt(capi.SQLITE_IOERR_WRITE, (on) => {
      if (length !== pageLength || position % pageLength !== 0) return capi.SQLITE_IOERR_WRITE;
      on.write(wasm.heap8u().subarray(from, from + length), position);
      return ok;
    });
  }

  const io = new capi.sqlite3_io_methods();
  Reflect.set(io, '$iVersion', 1);
  const ioMethods = {
    xClose: () => ok,
    xRead: (_file: number, into: number, length: number, position: number) =>
      read(Number(into), length, Number(position)),
    xWrite: (_file: number, from: number, length: number, position: number) =>
      write(Number(from), length, Number(position)),
    xTruncate: (_file: number, length: number) =>
      attempt(capi.SQLITE_IOERR_TRUNCATE, (on) => {
        on.truncate(Number(length));
        return ok;
      }),
    // `save` writes to disk.
    xSync: () => ok,
    xFileSize: (_file: number, into: number) => {
      wasm.poke64(into, BigInt(pages?.length() ?? 0));
      return ok;
    },
    // Nothing else opens these pages.
    xLock: () => ok,
    xUnlock: () => ok,
    xCheckReservedLock: (_file: number, into: number) => {
      wasm.poke32(into, 0);
      return ok;
    },
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xDeviceCharacteristics: () => ok,
  };
  const vfsMethods = {
    // The journal and temporary tables are in memory: there is no other file.
    xOpen: (_vfs: number, _name: number, file: number, flags: number, outFlags: number) => {
      if ((flags & capi.SQLITE_OPEN_MAIN_DB) === 0) return capi.SQLITE_CANTOPEN;
      const opened = new capi.sqlite3_file(file);
      opened.$pMethods = io.pointer;
      opened.dispose();
      if (outFlags) wasm.poke32(outFlags, flags);
      return ok;
    },
    xDelete: () => ok,
    xAccess: (_vfs: number, _name: number, _flags: number, into: number) => {
      wasm.poke32(into, 0);
      return ok;
    },
    xFullPathname: (_vfs: number, from: number, length: number, into: number) =>
      wasm.cstrncpy(into, from, length) < length ? ok : capi.SQLITE_CANTOPEN,
  };
  sqlite.vfs.installVfs({
    io: { struct: io, methods: ioMethods },
    vfs: { struct: createVfs(sqlite), methods: vfsMethods, name },
  });

  return {
    open: (given, isReadOnly) => {
      pages = given;
      failure = undefined;
      return new oo1.DB({ filename: 'mirror', flags: isReadOnly ? 'r' : 'c', vfs: name });
    },
    takeFailure: () => {
      const taken = failure;
      failure = undefined;
      return taken;
    },
  };
}
