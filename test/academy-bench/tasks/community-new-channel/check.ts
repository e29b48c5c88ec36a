import type { Check } from '../../task.ts';

const description = 'Meet on Tuesdays and bring one question!';

export const check: Check = {
  writes: ({ community }) => {
    const group = community.groups.all().find(({ name }) => name === 'Courses');
    const channel = { name: 'Python Study Group', description, group_id: group?.id, locked: false };
    return [['POST', '/api/v1/community/channels', { channel }]];
  },
  says: () => [],
  reads: () => ['/api/v1/community/groups'],
};
