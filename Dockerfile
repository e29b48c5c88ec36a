# Builds the bundle from this repository. The image has Node and the bundle, and no packages.
FROM node:24-alpine AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json LICENSE ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts scripts
COPY apps apps
COPY skills skills
COPY tools tools
COPY src src
RUN npm run build

FROM node:24-alpine
LABEL org.opencontainers.image.title="academy-mcp" org.opencontainers.image.licenses="MIT" io.modelcontextprotocol.server.name="io.github.your-organization/academy-mcp"
ENV NODE_ENV=production
# Reachable from outside the container. A setting of the same name replaces it.
ENV ACADEMY_HTTP_HOST=0.0.0.0
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /build/dist dist
# A user of the base image without any rights. Its number lets Kubernetes check runAsNonRoot.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${[process.env.ACADEMY_HTTP_PORT, process.env.PORT, 3000].find((port) => /^\\d+$/.test(port))}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["http"]
