'use strict';
// What the Claude Desktop bundle and the Claude Code plugin start. Both fill in `${user_config.x}` from a form.

// Claude Desktop passes the placeholder itself if an optional field is empty (tableau/tableau-mcp#362).
for (const name of Object.keys(process.env)) {
  if (/^\$\{user_config\.[^}]*\}$/.test(process.env[name])) process.env[name] = '';
}

// The form has this switched on at first: a client that passes no value must not allow changes.
if (!process.env.ACADEMY_READ_ONLY) process.env.ACADEMY_READ_ONLY = 'true';

// People type this word into the form.
const confirmation = process.env.ACADEMY_CONFIRM;
if (confirmation) process.env.ACADEMY_CONFIRM = confirmation.trim().toLowerCase();

if (process.env.TRY_SANDBOX === 'true') process.argv.push('--sandbox');

// A wrong or empty field must not end the extension: every call then names the field as the form shows it.
process.env.SETTINGS_FORM = 'true';
require('./start.cjs');
