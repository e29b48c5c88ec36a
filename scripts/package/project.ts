import packageJson from '../../package.json' with { type: 'json' };

const { name, version, license, keywords } = packageJson;
const [, url, owner] = /^git\+(https:\/\/github\.com\/([^/]+)\/[^/]+)\.git$/.exec(packageJson.repository.url) ?? [];
if (url === undefined || owner === undefined) throw new Error('repository.url of package.json must be on GitHub');
const repository = { url, owner };

/** What all packages and manifests say about the project. Names and addresses come from package.json. */
export const project = {
  ...{ name, version, license, keywords, repository },
  /** The name in the MCP registry. The registry compares it with `mcpName` of the npm package. */
  mcpName: `io.github.${repository.owner}/${name}`,
  title: 'Online academy',
  /** The MCP registry allows 100 characters. */
  summary: 'Ask about an online academy and run it: sales, students, access, courses and community.',
  author: `The ${name} contributors`,
};

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
