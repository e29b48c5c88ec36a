import { type Call, failure, notFound, ok, type Reply, type Write } from '../call.ts';
import { isWithin, paged } from '../pages.ts';
import type { Academy } from '../rules.ts';
import type { Channel, Json } from '../state.ts';
import { postView } from '../views.ts';

function channelView({ id, slug, fields }: Channel): Json {
  return { id, slug, ...fields, is_private: slug === 'coaches', path: `/community/${slug}` };
}

function channelAt({ ids: [key] }: Call, { state }: Academy): Channel | undefined {
  return state.channels.find(({ id, slug }) => String(id) === key || slug === key);
}

export function searchChannels({ query: { query = '', limit = '25' } }: Call, { state }: Academy): Reply {
  const words = query.toLowerCase();
  const found = state.channels.filter(
    ({ slug, fields }) => slug.includes(words) || fields.name.toLowerCase().includes(words),
  );
  return ok({ channels: found.slice(0, Number(limit)).map(channelView) });
}

export function getChannel(call: Call, academy: Academy): Reply {
  const channel = channelAt(call, academy);
  return channel === undefined ? notFound() : ok({ channel: channelView(channel) });
}

const fieldsOf = ({ channel }: Json): Json => (typeof channel === 'object' && channel !== null ? { ...channel } : {});

export function createChannel({ body }: Call, { state }: Academy): Reply | Write {
  const { name } = fieldsOf(body);
  if (typeof name !== 'string') return failure(422, 'invalid_parameter', 'name is required');
  const id = Math.max(...state.channels.map((one) => one.id)) + 1;
  const slug = name.toLowerCase().replaceAll(' ', '-');
  const channel: Channel = { id, slug, fields: { locked: false, ...fieldsOf(body), name } };
  return { effect: () => void state.channels.push(channel), answer: () => ok({ channel: channelView(channel) }, 201) };
}

export function updateChannel(call: Call, academy: Academy): Reply | Write {
  const channel = channelAt(call, academy);
  if (channel === undefined) return notFound();
  const effect = () => void Object.assign(channel.fields, fieldsOf(call.body));
  return { effect, answer: () => ok({ channel: channelView(channel) }) };
}

export function listGroups(_call: Call, _academy: Academy): Reply {
  return ok({ groups: [1, 2].map((id) => ({ id, name: `Group ${id}`, position: id, channel_count: 2 })) });
}

export function searchPosts(call: Call, academy: Academy): Reply {
  const channel = channelAt(call, academy);
  if (channel === undefined) return notFound();
  const { query = '', topic_id, per_page = '25' } = call.query;
  const size = Number(per_page);
  if (!(size >= 1 && size <= 100)) return failure(422, 'invalid_parameter', 'per_page is not valid');
  const all = academy.state.posts
    .filter((post) => post.channel === channel.id && post.content.includes(query))
    .filter(({ topic }) => topic_id === undefined || String(topic) === topic_id)
    .filter(({ at }) => isWithin(at, call, academy))
    .sort((one, other) => other.at - one.at)
    .map((post) => postView(post, academy));
  const { id, slug, fields } = channel;
  return paged({ list: 'posts', all, size }, call, academy, { channel: { id, name: fields.name, slug } });
}
