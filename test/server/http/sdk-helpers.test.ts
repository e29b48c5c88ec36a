import {
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  hostHeaderValidationResponse,
  isLegacyRequest,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { isModernVersion } from '../../../src/protocol/message-size.ts';
import { resourceMetadata } from '../../../src/server/http/auth/authentication.ts';
import { post, startHttp } from '../../support/http-server.ts';

// docs/internals/decisions/0012: if one of these tests fails after an update of the SDK, its helper may replace our code.

test('isLegacyRequest of the SDK ignores the version header of a GET', async () => {
  const headers = { 'mcp-protocol-version': '2026-07-28' };
  expect(await isLegacyRequest(new Request('http://localhost/mcp', { headers }))).toBe(true);
  expect(isModernVersion('2026-07-28')).toBe(true);
});

test('bearerAuthChallengeResponse of the SDK sends an error code to a request without a token', async () => {
  const error = new OAuthError(OAuthErrorCode.InvalidToken, 'Missing Authorization header');
  expect(bearerAuthChallengeResponse(error).headers.get('www-authenticate')).toContain('error="invalid_token"');
  const { url } = await startHttp({ ACADEMY_HTTP_TOKENS: 'a'.repeat(24) });
  const { headers } = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(headers.get('www-authenticate')).toBe('Bearer realm="academy-mcp"');
});

test('buildOAuthProtectedResourceMetadata of the SDK changes the resource and rejects an issuer on [::1]', () => {
  const audience = 'https://mcp.example.com';
  const build = (issuer: string) =>
    buildOAuthProtectedResourceMetadata({
      oauthMetadata: { issuer, authorization_endpoint: issuer, token_endpoint: issuer, response_types_supported: [] },
      resourceServerUrl: new URL(audience),
    });
  expect(build('https://login.example.com')).toMatchObject({ resource: `${audience}/` });
  expect(resourceMetadata({ issuer: 'https://login.example.com', audience, scopes: [] })).toMatchObject({
    resource: audience,
  });
  expect(() => build('http://[::1]:9000')).toThrow('HTTPS');
});

test('hostHeaderValidationResponse of the SDK accepts any port', () => {
  const request = new Request('http://localhost/mcp', { headers: { host: 'localhost:1' } });
  expect(hostHeaderValidationResponse(request, ['localhost'])).toBeUndefined();
});
