// An OAuth issuer for this machine, to try a server with sign-in. Any name and password are accepted, and everybody gets what a client asks for.
import Provider from 'oidc-provider';

const port = Number(process.env.PORT ?? 4030);
const audience = process.env.AUDIENCE ?? 'http://127.0.0.1:3000/mcp';
const scopes = ['academy:read', 'academy:write', 'academy:access'];
const client = {
  client_id: 'academy-assistant',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:8080/callback'],
};
const issuer = new Provider(`http://127.0.0.1:${port}`, {
  clients: [client],
  scopes,
  pkce: { required: () => true },
  features: {
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        audience,
        scope: scopes.join(' '),
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
      }),
    },
  },
});
issuer.listen(port, '127.0.0.1', () => console.log(`OAuth issuer on http://127.0.0.1:${port}`));
