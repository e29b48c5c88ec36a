/** Whether a host name or address, with or without the brackets of a URL, is on this machine only. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

export function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname);
}

/** Whether a request to this URL is encrypted or never leaves this machine. */
export function isEncryptedOrLocal(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}
