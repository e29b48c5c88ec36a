/**
 * What a client may send and keep waiting, on stdin and over HTTP. Those of the HTTP server's connections are in
 * `http/connections.ts` and `http/listener.ts`, those of sessions in `legacy/sessions.ts`.
 */

/** Bytes of the `_meta` of a message. */
export const maxMetaBytes = 16 * 1024;

/** Bytes of the `capabilities` of an initialize, which a session keeps. */
export const maxCapabilitiesBytes = 16 * 1024;

/** Characters of the name and of the version of a client, which a session keeps. */
export const maxClientNameLength = 200;

/** Bytes of all requests of one caller that have no answer yet, over all its sessions. */
export const maxPendingBytes = 8 * 2 ** 20;

/** Values in the JSON of one request or line: each can take hundreds of bytes of memory. */
export const maxRequestValues = 200_000;
