FROM node:22-slim
WORKDIR /opt/sluice
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build
USER node
ENV SLUICE_DATA=/tmp/sluice NODE_OPTIONS=--max-semi-space-size=64
EXPOSE 7717
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:7717/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/sluice/bin/sluice"]
CMD ["serve", "--host", "0.0.0.0"]
