const trust =
  'If you trust it, set NODE_EXTRA_CA_CERTS to the full path of a PEM file with the certificate of the server or of its authority, then start this program again.';

/** What Node's error code says about the certificate of a server, and what to do. */
const problems: Record<string, readonly [problem: string, hint: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is self-signed', trust],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate chain ends in a self-signed certificate', trust],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the authority of its certificate is not known', trust],
  UNABLE_TO_GET_ISSUER_CERT: ['the authority of its certificate is not known', trust],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the authority of its certificate is not known', trust],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'The operator of the server must renew it.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another host name',
    'Check that ACADEMY_BASE_URL is the address of the account.',
  ],
};

interface CertificateProblem {
  readonly problem: string;
  readonly hint: string;
}

/** Explains a code such as DEPTH_ZERO_SELF_SIGNED_CERT. Undefined for a failure that is not about a certificate. */
export function certificateProblem(code: string): CertificateProblem | undefined {
  const [problem, hint] = problems[code] ?? [];
  return problem === undefined || hint === undefined ? undefined : { problem, hint };
}
