# Debian rather than Alpine: the store's native module ships builds for glibc on x64 and on arm64, for musl on x64 only.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without scripts: the one of this package builds it, and its sources come later.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
# The pages at /docs are made of these.
COPY README.md CHANGELOG.md CONTRIBUTING.md ./
COPY docs ./docs
RUN npm run build

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY --from=build /app/dist ./dist
COPY LICENSE ./
# All defaults; what differs comes from the environment, or from a file mounted over this one.
RUN echo '{}' > node.config.json
# Pictures of the pages at /docs, and the samples.
COPY docs ./docs
# A volume takes over owner and content of the directory that it is mounted on.
RUN mkdir /data && chown node:node /data

# The port is reachable from outside, so nobody may write until the operator says who.
ENV REGISTRY_LISTEN_HOST=0.0.0.0 \
    REGISTRY_LISTEN_PORT=3000 \
    REGISTRY_DATA_DIR=/data \
    REGISTRY_WRITE=off
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.REGISTRY_LISTEN_PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No npm in between: the signals of `docker stop` reach the node itself.
CMD ["node", "dist/main.js"]
