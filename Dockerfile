FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepack

FROM node:22-slim
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=64 SLUICE_DATA=/data
WORKDIR /opt/sluice
COPY package.json package-lock.json .npmrc LICENSE ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force && mkdir /data && chown node:node /data
COPY --from=build /build/dist dist
USER node
VOLUME /data
EXPOSE 7717
HEALTHCHECK --start-period=30s --interval=10s --timeout=5s CMD ["node", "-e", "fetch('http://127.0.0.1:7717/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/sluice/dist/cli/main.js"]
CMD ["serve", "--host", "0.0.0.0"]
