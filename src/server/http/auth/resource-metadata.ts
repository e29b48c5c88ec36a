import type { OAuthSettings } from './oauth.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The audience as a URL; undefined if it is not a web address. */
export function webAddress(audience: string): URL | undefined {
  const url = URL.canParse(audience) ? new URL(audience) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Inserts the well-known path between host and path of the resource. RFC 9728, section 3.1. */
function pathFor({ pathname }: URL): string {
  return wellKnown + (pathname === '/' ? '' : pathname);
}

/** URL of the metadata; undefined if the audience is not a web address. */
export function metadataUrl(audience: string): string | undefined {
  const location = webAddress(audience);
  return location && location.origin + pathFor(location);
}

/** Paths that serve the metadata: the one of the RFC, and the one without the resource's path, which many clients try. */
export function metadataPaths(audience: string): string[] {
  const location = webAddress(audience);
  return location === undefined ? [] : [...new Set([pathFor(location), wellKnown])];
}

/** Protected resource metadata: where a client gets a token for this server. RFC 9728, section 2. */
export function resourceMetadata({
  issuer,
  audience,
  scopes,
}: Pick<OAuthSettings, 'issuer' | 'audience' | 'scopes'>): object {
  return {
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'academy-mcp',
  };
}
