import packageJson from '../../package.json' with { type: 'json' };

const github = /^git\+(https:\/\/github\.com\/([^/]+)\/[^/]+)\.git$/;

/** The address and the owner of a repository on GitHub, from `repository.url` of a package.json. */
function repositoryIn(url: string): { url: string; owner: string } {
  const [, address, owner] = github.exec(url) ?? [];
  if (address === undefined || owner === undefined) throw new Error(`repository.url must be on GitHub: ${url}`);
  return { url: address, owner };
}

const { name, version, license, keywords } = packageJson;
const repository = repositoryIn(packageJson.repository.url);

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
