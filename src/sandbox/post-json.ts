interface PostLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Posts JSON text once. Returns undefined after a 2xx, otherwise the reason of the failure. Never throws. */
export async function postJson(
  url: string,
  json: string,
  headers: Record<string, string>,
  { timeoutMs, signal }: PostLimits,
): Promise<string | undefined> {
  const attempt = new AbortController();
  const stop = () => attempt.abort(new Error('stopped'));
  const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await post(url, { body: json, headers, signal: attempt.signal });
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function post(url: string, request: RequestInit): Promise<string | undefined> {
  const headers = { 'Content-Type': 'application/json', ...request.headers };
  // A redirect counts as a failure: following it would turn the POST into a GET.
  const response = await fetch(url, { ...request, method: 'POST', redirect: 'manual', headers });
  await response.body?.cancel();
  return response.ok ? undefined : `status ${response.status}`;
}

/** The message of fetch is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
