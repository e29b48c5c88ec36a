import { formTitles } from '../../src/config/field-names.ts';

/** A field of the form that Claude Desktop and Claude Code show when somebody installs the extension. */
const field = (title: string, description: string, more: { default?: string | boolean; sensitive?: true }) => {
  return { type: typeof (more.default ?? ''), title, description, required: false, ...more };
};

/** The form of the bundle and the plugin. No field is required: made-up data needs none, and the program says what is missing. */
export const extensionFields = {
  address: field(
    formTitles.ACADEMY_BASE_URL,
    'As you open it in a browser, such as https://academy.example.com, without a path.',
    { default: '' },
  ),
  api_key: field(
    formTitles.ACADEMY_API_KEY,
    'Sign in to the academy as an admin and open Account Settings. Treat the key like a password.',
    { sensitive: true },
  ),
  time_zone: field(
    formTitles.ACADEMY_TIMEZONE,
    'Where "today" and "last week" begin, such as Europe/Lisbon. If it is empty: UTC.',
    { default: '' },
  ),
  read_only: field(
    formTitles.ACADEMY_READ_ONLY,
    'The assistant can change nothing. Leave this on until you trust it with changes.',
    { default: true },
  ),
  confirmation: field(
    formTitles.ACADEMY_CONFIRM,
    'Who confirms that something is taken away. auto: you, if the app can ask you; otherwise the assistant. human: always you; refused if the app cannot ask. block: never. If it is empty: auto.',
    { default: 'auto' },
  ),
  try_sandbox: field(
    'Try it with made-up data',
    'Uses an embedded academy instead of yours. It needs no address and no key.',
    { default: false },
  ),
};

const placeholderOf = (field: keyof typeof extensionFields) => `\${user_config.${field}}`;

export const extensionEnvironment = {
  ACADEMY_BASE_URL: placeholderOf('address'),
  ACADEMY_API_KEY: placeholderOf('api_key'),
  ACADEMY_TIMEZONE: placeholderOf('time_zone'),
  ACADEMY_READ_ONLY: placeholderOf('read_only'),
  ACADEMY_CONFIRM: placeholderOf('confirmation'),
  TRY_SANDBOX: placeholderOf('try_sandbox'),
};
