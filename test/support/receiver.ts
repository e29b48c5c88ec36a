import { freePort } from './free-port.ts';
import { type Replying, startRecorder } from './recorder.ts';

/** A webhook target; by default it accepts. */
export async function startReceiver(answer: Replying = () => ({ status: 204 })) {
  const { url, requests } = await startRecorder(answer);
  return { url: `${url}/hook`, deliveries: requests };
}

/** A URL where nothing listens. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hook`;
}
