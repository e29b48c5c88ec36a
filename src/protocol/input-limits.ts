// Limits of what a client may send, on stdin and over HTTP. Limits of connections are in src/server/http/connections.ts
// and src/server/http/listener.ts, limits of sessions in legacy/sessions.ts.

/** Bytes of `_meta` in one message. */
export const maxMetaBytes = 16 * 1024;

/** Bytes of `capabilities` in initialize, which a session keeps. */
export const maxCapabilitiesBytes = 16 * 1024;

/** Characters of each of the name and the version of a client, which a session keeps. */
export const maxClientNameLength = 200;

/** Bytes of all unanswered requests of one caller, over all its sessions. */
export const maxPendingBytes = 8 * 2 ** 20;

/** JSON values in one request or line: each can take hundreds of bytes of memory. */
export const maxRequestValues = 200_000;
