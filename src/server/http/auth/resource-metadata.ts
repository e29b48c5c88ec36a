import { scopes } from '../../../mcp/principal.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

function locationOf(audience: string): URL | undefined {
  const url = URL.canParse(audience) ? new URL(audience) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Between host and path of the resource's own address. RFC 9728, section 3.1. */
function pathFor({ pathname }: URL): string {
  return wellKnown + (pathname === '/' ? '' : pathname);
}

/** Where a client finds the metadata; undefined where the audience is no web address, so that nobody could look there. */
export function metadataUrl(audience: string): string | undefined {
  const location = locationOf(audience);
  return location && location.origin + pathFor(location);
}

/** The paths at which the metadata are served: the one of the rule, and the one without it that many clients try. */
export function metadataPaths(audience: string): string[] {
  const location = locationOf(audience);
  return location === undefined ? [] : [...new Set([pathFor(location), wellKnown])];
}

/** Tells a client where to get a token for this server. RFC 9728, section 2. */
export function resourceMetadata({ issuer, audience }: { issuer: string; audience: string }): object {
  return {
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'academy-mcp',
  };
}
