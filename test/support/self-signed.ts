import { createServer } from 'node:https';
import { listen } from './listen.ts';
import { passOn } from './pass-on.ts';

/** Made for these tests with openssl, for localhost and 127.0.0.1; valid until 2126. It protects nothing. */
const privateKey = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzxpWS9/31wwzurEo
Mfin5lCPvfsgS41pIYTw7fthtqOhRANCAATzs+UqOxd7S+c8gycYgXYxiXgBqm31
TMSyHGnCt1WKHPx9aA/8ujnpSeatixxQ/TyqquYlTWiBPWQ+HznTMx9P
-----END PRIVATE KEY-----
`;

/** The certificate of the server, in PEM. No authority signed it. */
export const selfSignedCertificate = `
-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUQm1hcNsP4l1QjSBUo4fIL31OxccwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA1MzkyOFoYDzIxMjYxMDI5
MDUzOTI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATzs+UqOxd7S+c8gycYgXYxiXgBqm31TMSyHGnCt1WKHPx9aA/8ujnp
SeatixxQ/TyqquYlTWiBPWQ+HznTMx9Po28wbTAdBgNVHQ4EFgQUh4fN4+gT7Dyl
5lyUo/qggiEaIGwwHwYDVR0jBBgwFoAUh4fN4+gT7Dyl5lyUo/qggiEaIGwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgHMnAChuQjwfGz8u+A0o+BBWV4cgF0dIFeKS5YIE8/0wCIAaT
blOYrv5xU7BPJIl6a8bxCfQNhQtmUZgyASEC8CaP
-----END CERTIFICATE-----
`;

/** Starts an HTTPS server on loopback that passes every request on to `target`, and returns its address. */
export async function startSelfSigned(target: string): Promise<string> {
  const server = createServer({ key: privateKey, cert: selfSignedCertificate }, async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const { status, headers: own, body } = await passOn(target, { method, path, headers, body: '' });
    response.writeHead(status, own).end(body);
  });
  const { url } = await listen(server);
  return url.replace('http:', 'https:');
}
