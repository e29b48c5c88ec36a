import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './sandbox.ts';

/** Makes a certificate authority and a certificate for 127.0.0.1 and these names, with the program openssl. Valid for a day. */
export function makeCertificates(names: readonly string[]) {
  const folder = temporaryFolder();
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '1', '-subj', '/CN=Private CA');
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server');
  writeFileSync(
    join(folder, 'names'),
    `subjectAltName=${['IP:127.0.0.1', ...names.map((name) => `DNS:${name}`)].join(',')}\n`,
  );
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  const file = (name: string) => join(folder, name);
  return {
    /** The value of NODE_EXTRA_CA_CERTS. */
    authority: file('ca.pem'),
    certificateFile: file('server.pem'),
    keyFile: file('server.key'),
    key: readFileSync(file('server.key')),
    cert: readFileSync(file('server.pem')),
  };
}
